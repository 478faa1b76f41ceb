// Saves something that is edited as a whole, unless somebody else saved it since the changes began.
import { useEffect, useState } from "react";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useUnloadWarning } from "../hooks/use-unload-warning.ts";

type Options<Version, Data> = {
  intent: string;
  /** The version of what the loader shows now. */
  version: Version;
  isDirty: boolean;
  onSaved(data: Data): void;
  /** Puts what the loader shows in place of the changes. */
  onDiscard(): void;
};

export function useVersionedSave<Version, Data = unknown>({
  intent,
  version,
  isDirty,
  onSaved,
  onDiscard,
}: Options<Version, Data>) {
  const [began, setBegan] = useState(version);
  const {
    submit,
    isBusy,
    result,
    error: failure,
  } = useScreenAction<Data>(intent, {
    onSuccess(data) {
      // Input that was typed during the save is a change of what was just saved.
      setBegan(version);
      onSaved(data);
    },
  });
  const [discarded, setDiscarded] = useState<typeof result>(null);
  const error = result === discarded ? null : failure;
  useEffect(() => {
    if (!isDirty) setBegan(version);
  }, [isDirty, version]);
  useUnloadWarning(isDirty);
  return {
    save: (fields: object) => submit({ ...fields, version: began }),
    isBusy,
    result,
    error,
    isConflict: error?.code === "conflict",
    discard() {
      onDiscard();
      setBegan(version);
      setDiscarded(result);
    },
  };
}
