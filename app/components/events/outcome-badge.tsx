// The outcome of an attempt or a delivery: what sent nothing is skipped, never delivered.
import { useTranslation } from "react-i18next";
import { Badge } from "@shopify/polaris";
import type { Skip } from "../../domain/bus/outcome.ts";
import { labelOf } from "../i18n/label-of.ts";

const TONES: Readonly<Record<string, "success" | "critical" | "info">> = {
  delivered: "success",
  failed: "critical",
  dead_letter: "critical",
};

export function OutcomeBadge({ status, skip }: { status: string; skip: Skip | null }) {
  const { t } = useTranslation(["events", "glossary"]);
  if (skip) return <Badge>{t("glossary:skipped")}</Badge>;
  return (
    <Badge tone={TONES[status] ?? "info"}>
      {labelOf(t("events:statuses", { returnObjects: true }), status)}
    </Badge>
  );
}
