import { useFetcher } from "@remix-run/react";
import { useRefusal } from "../refusal-words.ts";
import { showToast } from "../toast.ts";
import { useAnswer } from "../use-answer.ts";

type Answer = { ok: true; result: { changed?: number } } | { ok: false; code: string; fields: Record<string, string> };

/** One button of the customer's page: sends what it does, says how it went, and gives back why it was refused. */
export function useCustomerAction(id: number, say: (result: { changed?: number }) => string, onDone: () => void = () => {}) {
  const fetcher = useFetcher<Answer>();
  const refusal = useRefusal();
  const isBusy = fetcher.state !== "idle";
  const answer = isBusy ? undefined : fetcher.data;
  useAnswer(fetcher, (told) => {
    if (!told.ok) return;
    showToast(say(told.result));
    onDone();
  });
  return {
    isBusy,
    refused: answer && !answer.ok ? { ...answer, text: refusal(answer.code) } : undefined,
    send: (body: object) => fetcher.submit(JSON.stringify(body), { method: "post", action: `/app/customers/${id}?index`, encType: "application/json" }),
  };
}
