// The deeds about the requests of a list, kept by the list: a request may leave the list by what is done about it.
import { useState } from "react";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import type { RequestDeed } from "./privacy-actions.tsx";
import { PRIVACY_WORDS } from "./privacy-words.ts";

export function useRequestDeeds(): (id: number) => RequestDeed {
  const words = useWords(PRIVACY_WORDS);
  const [last, setLast] = useState<number | null>(null);
  const { run, sent, done, refused } = useDeed<{ url?: string }>({
    onDone: ({ intent }) =>
      intent === "retry" ? words.retried : intent === "handed_over" ? words.handedDone : null,
  });
  const general = useRefusal(refused);
  const problem =
    refused?.intent === "export" && refused.code === "not_found" ? words.exportGone : general;
  return (id) => ({
    run(intent, of) {
      setLast(of);
      run(intent, { id: of });
    },
    busyWith: sent?.id === id ? String(sent.intent) : null,
    problem: last === id ? problem : null,
    url: last === id ? (done?.url ?? null) : null,
  });
}
