// One setting: the editor of its kind, with the default value and the error.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Button,
  Checkbox,
  ChoiceList,
  InlineGrid,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import type { FieldKind, FormField } from "../../../domain/tenants/settings/settings-form.ts";
import type { Draft, RouteDraft, SecretDraft } from "./field-drafts.ts";
import { FieldMessages, type EditorProps } from "./field-messages.tsx";
import type { SettingsFormState } from "../use-settings-form.ts";
import { useFieldTexts, useOptionLabel } from "./field-texts.ts";
import { RoutesEditor } from "./routes-editor.tsx";
import { ColorField } from "../../ui/color-field.tsx";
import { useLabelled } from "../../i18n/use-labelled.ts";

type Props = {
  field: FormField;
  draft: Draft;
  /** Why the server refused it. */
  problem: ReturnType<SettingsFormState["problemOf"]>;
  onChange(draft: Draft): void;
};
/** The draft of each kind of field. */
type Editable =
  | { kind: "secret"; draft: SecretDraft }
  | { kind: "switch"; draft: boolean }
  | { kind: "choices"; draft: string[] }
  | { kind: "group"; draft: Record<string, string> }
  | { kind: "routes"; draft: RouteDraft[] }
  | { kind: "text" | "color" | "number" | "list" | "choice"; draft: string };

/** The others show the value that applies without a saved one in the editor itself. */
const SHOWS_FALLBACK: ReadonlySet<FieldKind> = new Set([
  "text",
  "color",
  "number",
  "list",
  "group",
  "routes",
]);

/** A longer list scrolls. */
const MAX_LIST_HEIGHT = "7rem";

export function FieldEditor({ field, draft, problem: refused, onChange }: Props) {
  const optionLabel = useOptionLabel(field.name);
  const { t } = useTranslation("settings");
  const { label, help } = useFieldTexts(field);
  const saved = field.value === null ? t("notSet") : shown(field.value);
  const problem =
    refused && t(`problems.${refused.code}`, { reason: refused.reason, value: optionLabel(saved) });
  const fallback =
    SHOWS_FALLBACK.has(field.kind) && field.fallback !== null && !field.isReadOnly
      ? t("instead", { value: shown(field.fallback) })
      : "";
  const hints = [
    help,
    fallback,
    field.kind === "list" ? t("onePerLine") : "",
    field.isReadOnly ? t("byPlatform") : "",
  ]
    .filter(Boolean)
    .join(" ");
  const common = { field, label, help: hints, problem, onChange };
  const editable = { kind: field.kind, draft } as Editable;
  switch (editable.kind) {
    case "secret":
      return <Secret {...common} draft={editable.draft} />;
    case "switch":
      return (
        <Checkbox
          label={label}
          helpText={hints}
          checked={editable.draft}
          disabled={field.isReadOnly}
          {...(problem && { error: problem })}
          onChange={onChange}
        />
      );
    case "choice":
      return <Choice {...common} draft={editable.draft} />;
    case "choices":
      return (
        <ChoiceList
          title={label}
          allowMultiple
          choices={field.options.map((value) => ({
            label: optionLabel(value),
            value,
          }))}
          selected={editable.draft}
          {...(problem && { error: problem })}
          onChange={onChange}
        />
      );
    case "color":
      return (
        <ColorField
          label={label}
          help={hints}
          name={field.name}
          value={editable.draft}
          isReadOnly={field.isReadOnly}
          problem={problem}
          onChange={onChange}
        />
      );
    case "group":
      return <Group {...common} draft={editable.draft} />;
    case "routes":
      return <RoutesEditor {...common} draft={editable.draft} />;
    default:
      return (
        <TextField
          label={label}
          helpText={hints}
          value={editable.draft}
          onChange={onChange}
          autoComplete="off"
          name={field.name}
          {...(problem && { error: problem })}
          {...(field.kind === "list" && { multiline: 3, maxHeight: MAX_LIST_HEIGHT })}
          {...(field.kind === "number" && { inputMode: "numeric" as const })}
          {...(field.isReadOnly && { readOnly: true, disabled: true })}
        />
      );
  }
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function Secret({ field, draft, label, help, problem, onChange }: EditorProps<SecretDraft>) {
  const { t } = useTranslation("settings");
  const labelled = useLabelled();
  if (field.isReadOnly || draft.mode !== "replace") {
    const text = draft.mode === "remove" ? t("willBeRemoved") : shown(field.value ?? t("notSet"));
    return (
      <TextField
        label={label}
        helpText={help}
        value={text}
        readOnly
        disabled
        autoComplete="off"
        name={field.name}
        {...(problem && { error: problem })}
        {...(!field.isReadOnly && {
          connectedRight: (
            <Button
              accessibilityLabel={labelled(t("replace"), label)}
              onClick={() => onChange({ mode: "replace", text: "" })}
            >
              {t("replace")}
            </Button>
          ),
        })}
      />
    );
  }
  const withoutOwn = field.fallback === true ? t("isThere") : t("notSet");
  return (
    <BlockStack gap="200">
      <TextField
        label={label}
        helpText={help}
        type="password"
        value={draft.text}
        onChange={(text) => onChange({ mode: "replace", text })}
        autoComplete="new-password"
        name={field.name}
        placeholder={field.value === null ? withoutOwn : t("newValue")}
        {...(problem && { error: problem })}
      />
      {field.value !== null && (
        <InlineStack gap="200">
          <Button variant="plain" onClick={() => onChange({ mode: "kept", text: "" })}>
            {t("keep")}
          </Button>
          <Button
            variant="plain"
            tone="critical"
            onClick={() => onChange({ mode: "remove", text: "" })}
          >
            {t("remove")}
          </Button>
        </InlineStack>
      )}
    </BlockStack>
  );
}

function Choice({ field, draft, label, help, problem, onChange }: EditorProps<string>) {
  const { t } = useTranslation("settings");
  const optionLabel = useOptionLabel(field.name);
  const none =
    field.fallback === null
      ? t("choose")
      : t("standard", { value: optionLabel(shown(field.fallback)) });
  return (
    <Select
      label={label}
      helpText={help}
      options={[
        { label: none, value: "" },
        ...field.options.map((value) => ({ label: optionLabel(value), value })),
      ]}
      value={draft}
      disabled={field.isReadOnly}
      name={field.name}
      {...(problem && { error: problem })}
      onChange={onChange}
    />
  );
}

function Group({
  field,
  draft,
  label,
  help,
  problem,
  onChange,
}: EditorProps<Record<string, string>>) {
  const optionLabel = useOptionLabel(field.name);
  return (
    <BlockStack gap="200">
      <Text as="p" variant="bodyMd">
        {label}
      </Text>
      <InlineGrid columns={{ xs: 1, sm: field.options.length }} gap="200">
        {field.options.map((name) => (
          <TextField
            key={name}
            label={optionLabel(name)}
            value={draft[name] ?? ""}
            onChange={(text) => onChange({ ...draft, [name]: text })}
            autoComplete="off"
            name={`${field.name}.${name}`}
            disabled={field.isReadOnly}
            error={problem !== undefined}
          />
        ))}
      </InlineGrid>
      <FieldMessages help={help} problem={problem} />
    </BlockStack>
  );
}
