// The state of a form of settings: drafts of the changed fields, and what a save answered. Only
// changed fields are sent.
import { useEffect, useRef, useState } from "react";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useUnloadWarning } from "../hooks/use-unload-warning.ts";
import { toDraft, toPatch, type Draft } from "./fields/field-drafts.ts";

/** A changed field, and the version of the saved value that the change began with. */
type Change = { draft: Draft; version: string | undefined };
type Options = { action?: string; onSaved?(): void };

/** Holds the changed fields; all others show the loader's value. */
export function useSettingsForm(fields: readonly FormField[], { action, onSaved }: Options = {}) {
  const {
    submit,
    isBusy,
    result,
    error: failure,
  } = useScreenAction("save", {
    ...(action && { action }),
    ...(onSaved && { onSuccess: onSaved }),
  });
  const [discarded, setDiscarded] = useState<typeof result>(null);
  const error = result === discarded ? null : failure;
  // A second click before the next render still calls this render's `save`.
  const isSending = useRef(false);
  useEffect(() => {
    if (!isBusy) isSending.current = false;
  }, [isBusy]);
  const [changes, setChanges] = useState<Record<string, Change>>({});
  const sent = useRef<Record<string, Change>>({});
  const drafts = Object.fromEntries(
    Object.entries(changes).map(([name, { draft }]) => [name, draft]),
  );
  const patch = toPatch(fields, drafts);
  const isDirty = Object.keys(patch).length > 0;
  const isSaved = result?.ok === true;
  useEffect(() => {
    // Keeps input that was entered during the save.
    if (isSaved)
      setChanges((now) =>
        Object.fromEntries(
          Object.entries(now).filter(([name, change]) => change !== sent.current[name]),
        ),
      );
  }, [isSaved]);
  const { fields: reasons = {}, field_codes: codes = {} } = error ?? {};
  // A change that another one was saved under: it is shown, so the next save may replace it.
  const refused = Object.keys(codes)
    .filter((name) => codes[name] === "changedMeanwhile")
    .join();
  useEffect(() => {
    const names = refused.split(",");
    const shown = new Map(fields.map(({ name, version }) => [name, version]));
    setChanges((now) =>
      Object.fromEntries(
        Object.entries(now).map(([name, change]) => [
          name,
          names.includes(name) ? { ...change, version: shown.get(name) } : change,
        ]),
      ),
    );
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
    change: ({ name, version }: FormField, draft: Draft) =>
      setChanges((now) => ({
        ...now,
        [name]: { draft, version: now[name] ? now[name].version : version },
      })),
    discard() {
      setChanges({});
      setDiscarded(result);
    },
    save() {
      if (isSending.current) return;
      isSending.current = true;
      sent.current = changes;
      const versions = Object.fromEntries(
        Object.keys(patch).flatMap((name) => {
          const version = changes[name]?.version;
          return version === undefined ? [] : [[name, version]];
        }),
      );
      submit({ fields: JSON.stringify(patch), versions });
    },
  };
}

export type SettingsFormState = ReturnType<typeof useSettingsForm>;
