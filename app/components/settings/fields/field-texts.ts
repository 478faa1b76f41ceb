// The texts of a field. A field without texts is shown with its English label from the table of fields.
import { useTranslation } from "react-i18next";
import type { FormField } from "../../../domain/tenants/settings/settings-form.ts";
import { labelOf } from "../../i18n/label-of.ts";

type FieldTexts = Record<string, { label?: string; help?: string }>;

type Named = Pick<FormField, "name" | "label">;

export function useFieldTexts(field: Named) {
  const { t } = useTranslation("settings");
  const texts = textsOf(t("fields", { returnObjects: true }), field);
  return { label: texts?.label ?? field.label, help: texts?.help ?? "" };
}

export function useFieldLabel(): (field: Named) => string {
  const { t } = useTranslation("settings");
  return (field) => textsOf(t("fields", { returnObjects: true }), field)?.label ?? field.label;
}

const textsOf = (fields: FieldTexts, { name }: Named) =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

/** The label of an option of the field; an option without one is shown as it is saved. */
export function useOptionLabel(field: string): (option: string) => string {
  const { t } = useTranslation("settings");
  const options: Record<string, object> = t("options", { returnObjects: true });
  return (option) => labelOf(Object.hasOwn(options, field) ? (options[field] ?? {}) : {}, option);
}
