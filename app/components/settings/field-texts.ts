// The texts of a field. A field without texts is shown with its English label from the table of fields.
import { useTranslation } from "react-i18next";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { labelOf } from "../i18n/label-of.ts";

type FieldTexts = Record<string, { label?: string; help?: string }>;

export function useFieldTexts(field: Pick<FormField, "name" | "label">) {
  const { t } = useTranslation("settings");
  const fields: FieldTexts = t("fields", { returnObjects: true });
  const texts = Object.hasOwn(fields, field.name) ? fields[field.name] : undefined;
  return { label: texts?.label ?? field.label, help: texts?.help ?? "" };
}

/** The label of an option of the field; an option without one is shown as it is saved. */
export function useOptionLabel(field: string): (option: string) => string {
  const { t } = useTranslation("settings");
  const options: Record<string, object> = t("options", { returnObjects: true });
  return (option) => labelOf(Object.hasOwn(options, field) ? (options[field] ?? {}) : {}, option);
}
