// The state of the editor: the fields that were changed here, and the draft that they were changed from. Only
// changed fields are sent, so that what somebody else saved meanwhile stays.
import { useEffect, useState } from "react";
import type { BannerFields, BannerWork } from "../../../domain/tenants/banner/banner-drafts.ts";
import { useCorrections } from "../../hooks/use-corrections.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useUnloadWarning } from "../../hooks/use-unload-warning.ts";

export function useBannerForm({ draft }: BannerWork, onSaved: () => void) {
  const [changes, setChanges] = useState<BannerFields>({});
  /** The revision that was shown when the first change was made. */
  const [base, setBase] = useState<number | null>(null);
  const [sent, setSent] = useState<BannerFields>({});
  const saving = useScreenAction("save", { onSuccess: onSaved });
  const { submit, isBusy, result } = saving;
  const refusal = useCorrections(saving);
  useEffect(() => {
    if (result?.ok) {
      // Keeps input that was entered during the save.
      setChanges((now) =>
        Object.fromEntries(Object.entries(now).filter(([name, value]) => value !== sent[name])),
      );
      setBase(null);
    }
    // The screen shows the other person's draft now: saving again replaces it.
    if (result && !result.ok && result.code === "conflict") setBase(null);
  }, [result, sent]);
  const isDirty = Object.keys(changes).length > 0;
  useUnloadWarning(isDirty);
  return {
    fields: { ...draft.fields, ...changes },
    isDirty,
    isBusy,
    error: refusal.open,
    change(name: string, value: unknown) {
      setBase((known) => known ?? draft.revision);
      refusal.correct(name);
      setChanges((now) => ({ ...now, [name]: value }));
    },
    discard() {
      setChanges({});
      setBase(null);
      refusal.discard();
    },
    save() {
      refusal.forget();
      setSent(changes);
      submit({ revision: base ?? draft.revision, changes });
    },
  };
}

export type BannerForm = ReturnType<typeof useBannerForm>;
