// The state of a form of settings: drafts of the changed fields, and what a save answered. Only
// changed fields are sent.
import { useEffect, useRef, useState } from "react";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { useCorrections } from "../hooks/use-corrections.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useUnloadWarning } from "../hooks/use-unload-warning.ts";
import { toDraft, toPatch, type Draft } from "./fields/field-drafts.ts";

/** A changed field, and the version of the saved value that the change began with. */
type Change = { draft: Draft; version: string | undefined };
type Changes = Record<string, Change>;
type Options = { action?: string; onSaved?(): void };

/** Holds the changed fields; all others show the loader's value. */
export function useSettingsForm(fields: readonly FormField[], { action, onSaved }: Options = {}) {
  const saving = useScreenAction("save", {
    ...(action && { action }),
    ...(onSaved && { onSuccess: onSaved }),
  });
  const { submit, isBusy, result } = saving;
  const refusal = useCorrections(saving);
  const error = refusal.open;
  // A second click before the next render still calls this render's `save`.
  const isSending = useRef(false);
  useEffect(() => {
    if (!isBusy) isSending.current = false;
  }, [isBusy]);
  const [changes, setChanges] = useState<Changes>({});
  const sent = useRef<Changes>({});
  const patch = toPatch(fields, draftsOf(changes));
  const isDirty = Object.keys(patch).length > 0;
  const isSaved = result?.ok === true;
  useEffect(() => {
    if (isSaved) setChanges((now) => withoutSent(now, sent.current));
  }, [isSaved]);
  const { fields: reasons = {}, field_codes: codes = {} } = error ?? {};
  // Fields that another save changed meanwhile. The merchant sees that, so the next save may replace the other value.
  const refused = Object.keys(codes)
    .filter((name) => codes[name] === "changedMeanwhile")
    .join();
  useEffect(() => {
    if (refused !== "") setChanges((now) => withShownVersions(now, refused.split(","), fields));
    // Only when a save was rejected: the versions shown later are not the ones that were looked at.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [refused]);
  useUnloadWarning(isDirty);
  return {
    patch,
    isDirty,
    isBusy,
    isSaved: isSaved && !isDirty,
    error,
    draftOf: (field: FormField) => changes[field.name]?.draft ?? toDraft(field),
    problemOf(name: string) {
      const reason = reasons[name];
      return reason === undefined ? undefined : { reason, code: codes[name] ?? "other" };
    },
    change({ name, version }: FormField, draft: Draft) {
      refusal.correct(name);
      setChanges((now) => ({
        ...now,
        [name]: { draft, version: now[name] ? now[name].version : version },
      }));
    },
    discard() {
      setChanges({});
      refusal.discard();
    },
    save() {
      if (isSending.current) return;
      isSending.current = true;
      sent.current = changes;
      refusal.forget();
      submit({ fields: JSON.stringify(patch), versions: versionsOf(changes, Object.keys(patch)) });
    },
  };
}

export type SettingsFormState = ReturnType<typeof useSettingsForm>;

const draftsOf = (changes: Changes): Record<string, Draft> =>
  Object.fromEntries(Object.entries(changes).map(([name, { draft }]) => [name, draft]));

function versionsOf(changes: Changes, names: readonly string[]): Record<string, string> {
  const versions = names.map((name) => [name, changes[name]?.version] as const);
  return Object.fromEntries(
    versions.flatMap(([name, version]) => (version === undefined ? [] : [[name, version]])),
  );
}

/** Keeps input that was entered during the save. */
const withoutSent = (changes: Changes, sent: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([name, change]) => change !== sent[name]));

const withShownVersions = (
  changes: Changes,
  names: readonly string[],
  fields: readonly FormField[],
): Changes =>
  Object.fromEntries(
    Object.entries(changes).map(([name, change]) => {
      const version = fields.find((field) => field.name === name)?.version;
      return [name, names.includes(name) ? { ...change, version } : change];
    }),
  );
