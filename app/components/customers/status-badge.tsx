// The status of a customer's account.
import { useTranslation } from "react-i18next";
import { Badge, type BadgeProps } from "@shopify/polaris";
import { labelOf } from "../i18n/label-of.ts";

const TONES: Partial<Record<string, NonNullable<BadgeProps["tone"]>>> = {
  active: "success",
  suspended: "warning",
};

export function StatusBadge({ status }: { status: string }) {
  const { t } = useTranslation("glossary");
  const tone = TONES[status];
  return (
    <Badge {...(tone && { tone })}>{labelOf(t("status", { returnObjects: true }), status)}</Badge>
  );
}
