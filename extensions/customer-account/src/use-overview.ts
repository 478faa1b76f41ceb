// The customer's overview: read when the extension appears, and again after each change.
import { useCallback, useEffect, useState } from "preact/hooks";
import { call, type Answer, type Overview } from "./service.ts";

export type Loaded = {
  /** Null until it is there. */
  overview: Overview | null;
  /** Why it could not be read. */
  code: string | null;
  reload(): Promise<void>;
};

export function useOverview(): Loaded {
  const [answer, setAnswer] = useState<Answer<Overview> | null>(null);
  const reload = useCallback(async () => setAnswer(await call<Overview>("GET", "")), []);
  useEffect(() => void reload(), [reload]);
  return {
    overview: answer?.ok ? answer.data : null,
    code: answer && !answer.ok ? answer.code : null,
    reload,
  };
}
