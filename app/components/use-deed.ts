// Doing something on a screen without leaving it: what is asked for goes out, a toast says that it is done, and what was
// refused stays readable on the page.
import { useFetcher } from "@remix-run/react";
import { REFUSAL_WORDS } from "./refusal-words.ts";
import { showToast } from "./toast.ts";
import { useAnswer } from "./use-answer.ts";
import { useWords } from "./words.tsx";

export type Refused = {
  intent: string;
  isDone: false;
  code: string;
  fields: Record<string, string>;
};
export type Answered<Told> = ({ intent: string; isDone: true } & Told) | Refused;

export type DeedOptions<Told> = {
  /** Where the screen's own action is; the page itself when it is not said. */
  action?: string;
  /** What the toast says; nothing is shown when it answers null. */
  onDone?(told: { intent: string } & Told): string | null;
};

export function useDeed<Told extends object = object>({ action, onDone }: DeedOptions<Told> = {}) {
  const fetcher = useFetcher();
  const { state } = fetcher;
  const data = fetcher.data as Answered<Told> | undefined;
  useAnswer({ state, data }, (told) => {
    const text = told.isDone ? onDone?.(told) : null;
    if (text) showToast(text);
  });
  const refused = data && !data.isDone && state === "idle" ? data : null;
  const done = data?.isDone && state === "idle" ? data : null;
  return {
    run: (intent: string, fields: object = {}) =>
      fetcher.submit(JSON.stringify({ intent, ...fields }), {
        method: "post",
        encType: "application/json",
        ...(action && { action }),
      }),
    isBusy: state !== "idle",
    /** What is being sent at this moment. */
    sent: state === "idle" ? null : (fetcher.json as Record<string, unknown> | undefined),
    refused,
    done,
  };
}

export function useRefusal(refused: Refused | null): string | null {
  const words = useWords(REFUSAL_WORDS);
  if (!refused) return null;
  return Object.hasOwn(words, refused.code) ? words[refused.code as "conflict"] : words.other;
}
