// One setting: the editor that its kind asks for, with what applies instead and what is wrong with it.
import {
  BlockStack,
  Box,
  Button,
  Checkbox,
  ChoiceList,
  InlineGrid,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import type { Draft, Field, RouteDraft, SecretDraft } from "./field-drafts.ts";
import { fieldWords, optionWords } from "./field-words.ts";
import { SETTINGS_WORDS } from "./settings-words.ts";
import { nextKey, useFocusAfterRemoval } from "../row-keys.ts";
import { useLocale, useWords } from "../words.tsx";

type Props = {
  field: Field;
  draft: Draft;
  problem: string | undefined;
  onChange(draft: Draft): void;
};
type EditorProps<D> = {
  field: Field;
  draft: D;
  label: string;
  help: string;
  problem: string | undefined;
  onChange(draft: Draft): void;
};

export function FieldEditor({ field, draft, problem, onChange }: Props) {
  const locale = useLocale();
  const words = useWords(SETTINGS_WORDS);
  const { label, help } = fieldWords(locale, field);
  const instead =
    field.kind === "secret" ||
    field.kind === "switch" ||
    field.kind === "choice" ||
    field.kind === "choices" ||
    field.instead === null ||
    field.isReadOnly
      ? ""
      : words.instead(shown(field.instead));
  const hints = [
    help,
    instead,
    field.kind === "list" ? words.onePerLine : "",
    field.isReadOnly ? words.byPlatform : "",
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
            label: optionWords(locale, field.name, value),
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
          {...(field.kind === "list" && { multiline: 3 })}
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
  const words = useWords(SETTINGS_WORDS);
  if (field.isReadOnly || draft.mode !== "replace") {
    const text = draft.mode === "remove" ? words.willBeRemoved : shown(field.value ?? words.notSet);
    return (
      <InlineStack gap="200" blockAlign="end" wrap={false}>
        <Box width="100%">
          <TextField
            label={label}
            helpText={help}
            value={text}
            readOnly
            disabled
            autoComplete="off"
            name={field.name}
            {...(problem && { error: problem })}
          />
        </Box>
        {!field.isReadOnly && (
          <Button
            accessibilityLabel={`${words.replace}: ${label}`}
            onClick={() => onChange({ mode: "replace", text: "" })}
          >
            {words.replace}
          </Button>
        )}
      </InlineStack>
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
              ? words.isThere
              : words.notSet
            : words.newValue
        }
        {...(problem && { error: problem })}
      />
      {field.value !== null && (
        <InlineStack gap="200">
          <Button variant="plain" onClick={() => onChange({ mode: "kept", text: "" })}>
            {words.keep}
          </Button>
          <Button
            variant="plain"
            tone="critical"
            onClick={() => onChange({ mode: "remove", text: "" })}
          >
            {words.remove}
          </Button>
        </InlineStack>
      )}
    </BlockStack>
  );
}

function Choice({ field, draft, label, help, problem, onChange }: EditorProps<string>) {
  const words = useWords(SETTINGS_WORDS);
  const locale = useLocale();
  const none =
    field.instead === null
      ? words.choose
      : words.standard(optionWords(locale, field.name, shown(field.instead)));
  return (
    <Select
      label={label}
      helpText={help}
      options={[
        { label: none, value: "" },
        ...field.options.map((value) => ({ label: optionWords(locale, field.name, value), value })),
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
  const locale = useLocale();
  return (
    <BlockStack gap="200">
      <Text as="p" variant="bodyMd">
        {label}
      </Text>
      <InlineGrid columns={{ xs: 1, sm: field.options.length }} gap="200">
        {field.options.map((name) => (
          <TextField
            key={name}
            label={optionWords(locale, field.name, name)}
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
  const { routes } = useWords(SETTINGS_WORDS);
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
          {routes.none}
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
            label={routes.type}
            value={route.event_type}
            onChange={(text) => change(route.key, { event_type: text })}
            autoComplete="off"
            placeholder="order.*"
            error={problem !== undefined}
          />
          <TextField
            label={routes.channels}
            value={route.channels}
            onChange={(text) => change(route.key, { channels: text })}
            autoComplete="off"
            placeholder="erpsys, archive"
            error={problem !== undefined}
          />
          <Select
            label={routes.priority}
            options={[
              { label: routes.usual, value: "" },
              ...["1", "2", "3", "4", "5"].map((value) => ({ label: value, value })),
            ]}
            value={route.priority}
            onChange={(text) => change(route.key, { priority: text })}
          />
          <Button
            accessibilityLabel={`${routes.remove}: ${route.event_type}`}
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
          {routes.add}
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
