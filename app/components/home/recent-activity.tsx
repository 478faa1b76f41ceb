// The newest activity, one entry per person.
import { useTranslation } from "react-i18next";
import { BlockStack, InlineStack, Link, Text } from "@shopify/polaris";
import type { ActivityItem } from "../../domain/merchant/home/recent-activity.ts";
import { formatCount } from "../i18n/format-number.ts";
import { labelOf } from "../i18n/label-of.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { DateTime } from "../ui/date-time.tsx";

export function RecentActivity({ activity }: { activity: readonly ActivityItem[] }) {
  const { t } = useTranslation("home");
  if (activity.length === 0)
    return (
      <Text as="p" tone="subdued">
        {t("nothing")}
      </Text>
    );
  return (
    <BlockStack gap="300">
      {activity.map((item, place) => (
        <InlineStack key={`${item.at} ${place}`} align="space-between" gap="200">
          <BlockStack>
            {item.kind === "person" ? <Person item={item} /> : <PrivacyRequest item={item} />}
          </BlockStack>
          <Text as="span" tone="subdued">
            <DateTime at={item.at} />
          </Text>
        </InlineStack>
      ))}
    </BlockStack>
  );
}

function Person({ item }: { item: Extract<ActivityItem, { kind: "person" }> }) {
  const { t } = useTranslation("home");
  const what = [item.isNew ? t("newCustomer") : null, ...useDecisions(item.decisions)];
  return (
    <>
      <Text as="span">
        {item.userId === null ? (
          t("visitor")
        ) : (
          <Link url={`/app/customers/${item.userId}`} monochrome>
            {item.name ?? t("noName")}
          </Link>
        )}
      </Text>
      <Text as="span" variant="bodySm" tone="subdued">
        {what.filter(Boolean).join(" · ")}
      </Text>
    </>
  );
}

/** "Granted: Terms, Marketing", one text per decision. */
function useDecisions(decisions: readonly { type: string; decision: string }[]): readonly string[] {
  const { t } = useTranslation("glossary");
  const labelled = useLabelled();
  const kinds = [...new Set(decisions.map(({ decision }) => decision))];
  return kinds.map((kind) => {
    const types = decisions
      .filter(({ decision }) => decision === kind)
      .map(({ type }) => labelOf(t("consent", { returnObjects: true }), type));
    return labelled(labelOf(t("decisions", { returnObjects: true }), kind), types.join(", "));
  });
}

function PrivacyRequest({ item }: { item: Extract<ActivityItem, { kind: "privacy" }> }) {
  const { t } = useTranslation("home");
  const labelled = useLabelled();
  const locale = useLocale();
  const name = labelOf(t("requests", { returnObjects: true }), item.request);
  const count = `${formatCount(locale, item.count)}${item.hasMore ? "+" : ""}`;
  const kind = item.count > 1 ? `${name} (${count})` : name;
  const state = labelOf(t("requestStates", { returnObjects: true }), item.state);
  return (
    <Link url="/app/privacy" monochrome>
      {labelled(kind, state)}
    </Link>
  );
}
