import { useTranslation } from "react-i18next";
import { useState } from "react";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { showToast } from "../ui/toast.ts";
import type { RequestAction, RequestIntent } from "./privacy-actions.tsx";

export function useRequestActions(): (id: number) => RequestAction {
  const { t } = useTranslation("privacy");
  const [last, setLast] = useState<{ id: number; intent: RequestIntent } | null>(null);
  const actions = {
    retry: useScreenAction("retry", { onSuccess: () => showToast(t("retried")) }),
    export: useScreenAction<{ url: string }>("export"),
    handed_over: useScreenAction("handed_over", { onSuccess: () => showToast(t("handedDone")) }),
  };
  const { data, error } = last ? actions[last.intent] : { data: null, error: null };
  const problemText = () => {
    if (error?.code === "not_found" && last?.intent === "export") return t("exportGone");
    if (error?.code === "conflict")
      return t(error.fields?.state === "running" ? "isRunning" : "isFinished");
    return error?.message ?? null;
  };
  return (id) => ({
    run(intent) {
      setLast({ id, intent });
      actions[intent].submit({ id });
    },
    isBusy: (intent) => actions[intent].submitted?.id === id,
    problem: last?.id === id ? problemText() : null,
    url: last?.id === id && last.intent === "export" && data ? (data as { url: string }).url : null,
  });
}
