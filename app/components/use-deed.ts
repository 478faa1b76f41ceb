// Doing something on a screen without leaving it: the form goes out, a toast says that it is done, and what was refused stays
// readable on the page.
import { useFetcher } from "@remix-run/react";
import { useAppBridge } from "@shopify/app-bridge-react";
import { LIST_WORDS } from "./list-words.ts";
import { useAnswer } from "./use-answer.ts";
import { useWords } from "./words.tsx";

export type Refused = { intent: string; isDone: false; code: string; fields: Record<string, string> };
type Answered<Told> = ({ intent: string; isDone: true } & Told) | Refused;

export type DeedOptions<Told> = {
  /** Where the screen's own action is; the page itself when it is not said. */
  action?: string;
  /** What the toast says; nothing is shown when it answers null. */
  onDone?(told: { intent: string } & Told): string | null;
};

export function useDeed<Told extends object = object>({ action, onDone }: DeedOptions<Told> = {}) {
  const fetcher = useFetcher();
  const bridge = useAppBridge();
  const { state } = fetcher;
  const data = fetcher.data as Answered<Told> | undefined;
  useAnswer({ state, data }, (told) => {
    const text = told.isDone ? onDone?.(told) : null;
    if (text) bridge.toast.show(text);
  });
  const refused = data && !data.isDone && state === "idle" ? data : null;
  const done = data?.isDone && state === "idle" ? data : null;
  return {
    run: (intent: string, fields: Record<string, string> = {}) => fetcher.submit({ intent, ...fields }, { method: "post", ...(action && { action }) }),
    isBusy: state !== "idle",
    /** What is being sent at this moment. */
    sent: state === "idle" ? null : fetcher.formData,
    refused,
    done,
  };
}

export function useRefusal(refused: Refused | null): string | null {
  const words = useWords(LIST_WORDS).refused;
  if (!refused) return null;
  return Object.hasOwn(words, refused.code) ? words[refused.code as "conflict"] : words.other;
}
