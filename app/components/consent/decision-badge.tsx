// What a person decided about a consent, in the words of every screen.
import { useTranslation } from "react-i18next";
import { Badge } from "@shopify/polaris";
import { labelOf } from "../i18n/label-of.ts";

const TONES: Record<string, "success" | "warning" | "attention" | "info"> = {
  granted: "success",
  declined: "attention",
  withdrawn: "warning",
  mandate_created: "info",
  mandate_used: "info",
};

/** `decision`: a consent's outcome or state, or a mandate's event. */
export function DecisionBadge({ decision }: { decision: string }) {
  const { t } = useTranslation("glossary");
  const tone = TONES[decision];
  return (
    <Badge {...(tone && { tone })}>
      {labelOf(t("decisions", { returnObjects: true }), decision)}
    </Badge>
  );
}
