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
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import type { Draft, RouteDraft, SecretDraft } from "./field-drafts.ts";
import { nextKey, useFocusAfterRemoval } from "../ui/row-keys.ts";
import { problemKey } from "./field-errors.ts";
import { useFieldTexts, useOptionLabel } from "./field-texts.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

type Props = {
  field: FormField;
  draft: Draft;
  /** Why the server refused it, in its own words. */
  reason: string | undefined;
  onChange(draft: Draft): void;
};
type EditorProps<D> = {
  field: FormField;
  draft: D;
  label: string;
  help: string;
  problem: string | undefined;
  onChange(draft: Draft): void;
};

/** A longer list scrolls. */
const MAX_LIST_HEIGHT = "7rem";

export function FieldEditor({ field, draft, reason, onChange }: Props) {
  const optionLabel = useOptionLabel(field.name);
  const { t } = useTranslation("settings");
  const { label, help } = useFieldTexts(field);
  const saved = field.value === null ? t("notSet") : shown(field.value);
  const problem =
    reason === undefined ? undefined : t(problemKey(reason), { reason, value: optionLabel(saved) });
  const instead =
    field.kind === "secret" ||
    field.kind === "switch" ||
    field.kind === "choice" ||
    field.kind === "choices" ||
    field.instead === null ||
    field.isReadOnly
      ? ""
      : t("instead", { value: shown(field.instead) });
  const hints = [
    help,
    instead,
    field.kind === "list" ? t("onePerLine") : "",
    field.isReadOnly ? t("byPlatform") : "",
  ]
    .filter(Boolean)
    .join(" ");
  const common = { field, label, help: hints, problem, onChange };
  switch (field.kind) {
    case "secret":
      return <Secret {...common} draft={draft as SecretDraft} />;
    case "switch":
      return (
        <Checkbox
          label={label}
          helpText={hints}
          checked={draft as boolean}
          disabled={field.isReadOnly}
          {...(problem && { error: problem })}
          onChange={onChange}
        />
      );
    case "choice":
      return <Choice {...common} draft={draft as string} />;
    case "choices":
      return (
        <ChoiceList
          title={label}
          allowMultiple
          choices={field.options.map((value) => ({
            label: optionLabel(value),
            value,
          }))}
          selected={draft as string[]}
          {...(problem && { error: problem })}
          onChange={onChange}
        />
      );
    case "group":
      return <Group {...common} draft={draft as Record<string, string>} />;
    case "routes":
      return <Routes {...common} draft={draft as RouteDraft[]} />;
    default:
      return (
        <TextField
          label={label}
          helpText={hints}
          value={draft as string}
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

const shown = (value: unknown): string =>
  typeof value === "string"
    ? value
    : Array.isArray(value)
      ? value.map(shown).join(", ")
      : JSON.stringify(value);

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
        placeholder={
          field.value === null
            ? field.instead === true
              ? t("isThere")
              : t("notSet")
            : t("newValue")
        }
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
    field.instead === null
      ? t("choose")
      : t("standard", { value: optionLabel(shown(field.instead)) });
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
      <Below help={help} problem={problem} />
    </BlockStack>
  );
}

function Routes({ draft, label, help, problem, onChange }: EditorProps<RouteDraft[]>) {
  const { t } = useTranslation("settings");
  const labelled = useLabelled();
  const { adding, focusAdding } = useFocusAfterRemoval();
  const change = (key: number, part: Partial<RouteDraft>) =>
    onChange(draft.map((route) => (route.key === key ? { ...route, ...part } : route)));
  const remove = (key: number) => {
    onChange(draft.filter((route) => route.key !== key));
    focusAdding();
  };
  return (
    <BlockStack gap="300">
      <Text as="p" variant="bodyMd">
        {label}
      </Text>
      {draft.length === 0 && (
        <Text as="p" tone="subdued">
          {t("routes.none")}
        </Text>
      )}
      {draft.map((route) => (
        <InlineGrid
          key={route.key}
          columns={{ xs: 1, sm: "3fr 4fr 2fr auto" }}
          gap="200"
          alignItems="end"
        >
          <TextField
            label={t("routes.type")}
            value={route.event_type}
            onChange={(text) => change(route.key, { event_type: text })}
            autoComplete="off"
            placeholder="order.*"
            error={problem !== undefined}
          />
          <TextField
            label={t("routes.channels")}
            value={route.channels}
            onChange={(text) => change(route.key, { channels: text })}
            autoComplete="off"
            placeholder="erpsys, archive"
            error={problem !== undefined}
          />
          <Select
            label={t("routes.priority")}
            options={[
              { label: t("routes.usual"), value: "" },
              ...["1", "2", "3", "4", "5"].map((value) => ({ label: value, value })),
            ]}
            value={route.priority}
            onChange={(text) => change(route.key, { priority: text })}
          />
          <Button
            accessibilityLabel={labelled(t("routes.remove"), route.event_type)}
            onClick={() => remove(route.key)}
          >
            ×
          </Button>
        </InlineGrid>
      ))}
      <Below help={help} problem={problem} />
      <div ref={adding}>
        <Button
          onClick={() =>
            onChange([
              ...draft,
              { key: nextKey(draft), event_type: "", channels: "", priority: "" },
            ])
          }
        >
          {t("routes.add")}
        </Button>
      </div>
    </BlockStack>
  );
}

function Below({ help, problem }: { help: string; problem: string | undefined }) {
  return (
    <>
      {problem && (
        <Text as="p" tone="critical">
          {problem}
        </Text>
      )}
      {help && (
        <Text as="p" tone="subdued">
          {help}
        </Text>
      )}
    </>
  );
}
