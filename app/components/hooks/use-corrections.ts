// What a refused save says holds for the values that were sent, not for those that were typed since.
import { useState } from "react";

type Refusal = { code: string; fields?: Record<string, string> };

/** What the last save answered (`use-screen-action.ts`). */
type Answered<Failure> = { result: unknown; error: Failure | null };

/** `open`: the refusal of the last save without the fields that were corrected; null when none is left. */
export function useCorrections<Failure extends Refusal>({ result, error }: Answered<Failure>) {
  const [corrected, setCorrected] = useState<readonly string[]>([]);
  const [discarded, setDiscarded] = useState<unknown>(null);
  return {
    open: result === discarded ? null : withoutFields(error, corrected),
    /** The field, or all fields below it, has another value now. */
    correct: (name: string) => setCorrected((now) => [...new Set([...now, name])]),
    /** With each save. */
    forget: () => setCorrected([]),
    /** The refused values are discarded, and their refusal with them. */
    discard: () => setDiscarded(result),
  };
}

function withoutFields<Failure extends Refusal>(
  failure: Failure | null,
  corrected: readonly string[],
): Failure | null {
  if (failure?.code !== "invalid_request" || !failure.fields) return failure;
  const fields = Object.entries(failure.fields).filter(
    ([field]) => !corrected.some((name) => field === name || field.startsWith(`${name}.`)),
  );
  return fields.length === 0 ? null : { ...failure, fields: Object.fromEntries(fields) };
}
