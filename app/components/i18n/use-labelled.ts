import { useTranslation } from "react-i18next";

/**
 * Writes "Label: value" as the reader's language does: French has a space before the colon. Without
 * a value, the label and its colon, for a value that is not text.
 */
export function useLabelled(): (label: string, value?: string) => string {
  const { t } = useTranslation("frame");
  return (label, value) =>
    value === undefined ? t("label", { label }) : t("labelled", { label, value });
}
