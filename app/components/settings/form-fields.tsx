// The editors of a card's settings, some beside each other on a screen.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { BlockStack, InlineGrid, Text } from "@shopify/polaris";
import type { FormCard } from "../../domain/tenants/settings/settings-form.ts";
import { FieldEditor } from "./fields/field-editor.tsx";
import type { SettingsFormState } from "./use-settings-form.ts";

const MANY = 5;

type Props = {
  fields: FormCard["fields"];
  form: SettingsFormState;
  /** What stands below the editor of one field. */
  below?: Partial<Record<string, ReactNode>>;
};

export function FormFields({ fields, form, below = {} }: Props) {
  const editors = fields.map((field) => (
    <BlockStack key={field.name} gap="200">
      <FieldEditor
        field={field}
        draft={form.draftOf(field)}
        problem={form.problemOf(field.name)}
        onChange={(draft) => form.change(field, draft)}
      />
      {below[field.name]}
    </BlockStack>
  ));
  // A group has parts beside each other itself.
  const isDense = fields.length >= MANY && fields.every(({ kind }) => kind !== "group");
  if (fields.length === 1) return <BlockStack gap="400">{editors}</BlockStack>;
  return (
    <InlineGrid columns={{ xs: 1, md: 2, lg: isDense ? 3 : 2 }} gap="400">
      {editors}
    </InlineGrid>
  );
}

export function CardIntro({ name, as }: { name: FormCard["name"]; as: "h2" | "h3" }) {
  const { t } = useTranslation("settings");
  return (
    <BlockStack gap="100">
      <Text as={as} variant="headingMd" id={name}>
        {t(`cards.${name}.title`)}
      </Text>
      <Text as="p" tone="subdued">
        {t(`cards.${name}.text`)}
      </Text>
    </BlockStack>
  );
}
