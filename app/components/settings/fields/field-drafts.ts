// The content of an editor, and the value it becomes. An empty editor is `null`: nothing saved.
import type { FormField } from "../../../domain/tenants/settings/settings-form.ts";

/** `key`: the React key of the row. */
export type RouteDraft = { key: number; event_type: string; channels: string; priority: string };
export type SecretDraft = { mode: "kept" | "replace" | "remove"; text: string };
export type Draft =
  string | boolean | string[] | Record<string, string> | RouteDraft[] | SecretDraft;

type Route = { event_type: string; channels: string[]; priority?: number };

function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const asList = (value: unknown): string[] => (Array.isArray(value) ? value.map(asText) : []);

export function toDraft({ kind, options, value, fallback }: FormField): Draft {
  switch (kind) {
    case "secret":
      return { mode: value === null ? "replace" : "kept", text: "" };
    case "switch":
      return Boolean(value ?? fallback);
    case "choices":
      return asList(value ?? fallback);
    case "list":
      return asList(value).join("\n");
    case "group":
      return Object.fromEntries(
        options.map((name) => [name, asText((value as Record<string, unknown> | null)?.[name])]),
      );
    case "routes":
      return ((value ?? []) as Route[]).map(({ event_type, channels, priority }, key) => ({
        key,
        event_type,
        channels: channels.join(", "),
        priority: priority === undefined ? "" : String(priority),
      }));
    default:
      return asText(value);
  }
}

const partsOf = (text: string, by: RegExp) =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter(Boolean);

/** Undefined when nothing changed. */
export function toValue({ kind }: FormField, draft: Draft): unknown {
  switch (kind) {
    case "secret": {
      const { mode, text } = draft as SecretDraft;
      if (mode === "remove") return null;
      return text.trim() === "" ? undefined : text.trim();
    }
    case "list": {
      const lines = partsOf(draft as string, /\n/);
      return lines.length > 0 ? lines : null;
    }
    case "group": {
      const filled = Object.entries(draft as Record<string, string>).filter(
        ([, text]) => text.trim() !== "",
      );
      return filled.length > 0 ? Object.fromEntries(filled) : null;
    }
    case "routes": {
      const routes = (draft as RouteDraft[]).map(({ event_type, channels, priority }) => ({
        event_type: event_type.trim(),
        channels: partsOf(channels, /[,\s]+/),
        ...(priority && { priority: Number(priority) }),
      }));
      return routes.length > 0 ? routes : null;
    }
    case "number": {
      const text = (draft as string).trim();
      if (text === "") return null;
      return Number.isNaN(Number(text)) ? text : Number(text);
    }
    case "text":
    case "color":
    case "choice": {
      const text = (draft as string).trim();
      return text === "" ? null : text;
    }
    default:
      return draft;
  }
}

/** The changed fields as they are posted. */
export function toPatch(
  fields: readonly FormField[],
  drafts: Readonly<Record<string, Draft>>,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const field of fields) {
    const draft = drafts[field.name];
    if (draft === undefined || field.isReadOnly) continue;
    const value = toValue(field, draft);
    if (
      value !== undefined &&
      JSON.stringify(value) !== JSON.stringify(toValue(field, toDraft(field)))
    )
      patch[field.name] = value;
  }
  return patch;
}
