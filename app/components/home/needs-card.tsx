// What needs the merchant: one line per problem, each with what to do about it.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, Divider, InlineGrid, Text } from "@shopify/polaris";
import type { StoreHealth } from "../../domain/merchant/home/store-overview.ts";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale, type Locale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { useDateFormat } from "../ui/date-time.tsx";

type Need = { key: string; title: string; text: string; action?: { content: string; url: string } };

type Props = {
  health: StoreHealth;
  paused: readonly string[];
  /** While the setup guide is shown, the next step is there. */
  isHiddenWhenEmpty: boolean;
};

export function NeedsCard({ health, paused, isHiddenWhenEmpty }: Props) {
  const { t } = useTranslation("home");
  const labelled = useLabelled();
  const needs = useNeeds(health, paused);
  if (needs.length === 0 && isHiddenWhenEmpty) return null;
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("needs.title")} />
        {needs.length === 0 && (
          <Text as="p" tone="subdued">
            {t("needs.nothing")}
          </Text>
        )}
        {needs.map(({ key, title, text, action }, at) => (
          <BlockStack key={key} gap="300">
            {at > 0 && <Divider />}
            <InlineGrid columns={{ xs: 1, sm: "1fr auto" }} gap="300" alignItems="center">
              <BlockStack gap="050">
                <Text as="h3" variant="headingSm">
                  {title}
                </Text>
                <Text as="p" tone="subdued">
                  {text}
                </Text>
              </BlockStack>
              {action && (
                <div>
                  <Button url={action.url} accessibilityLabel={labelled(action.content, title)}>
                    {action.content}
                  </Button>
                </div>
              )}
            </InlineGrid>
          </BlockStack>
        ))}
      </BlockStack>
    </Card>
  );
}

/** The count of dead letters ends here: one more stands for more. */
const MAX_COUNTED = 1_000;
const formatCapped = (locale: Locale, count: number): string =>
  count > MAX_COUNTED ? `${formatCount(locale, MAX_COUNTED)}+` : formatCount(locale, count);

/** Most severe first. */
function useNeeds(health: StoreHealth, paused: readonly string[]): Need[] {
  const { t } = useTranslation("home");
  const locale = useLocale();
  const { formatDay } = useDateFormat();
  const needs: (Need | false)[] = [
    health.syncError !== null && {
      key: "sync",
      title: t("syncFailed"),
      text: t("syncFailedText"),
    },
    health.deadLetters > 0 && {
      key: "dead",
      title: t("deadLetters", { total: formatCapped(locale, health.deadLetters) }),
      text: t("deadLettersText"),
      action: { content: t("review"), url: "/app/events/dead-letters" },
    },
    paused.length > 0 && {
      key: "paused",
      title: t("paused", { names: paused.join(", ") }),
      text: t("pausedText"),
      action: { content: t("review"), url: "/app/events" },
    },
    health.urgentRequests > 0 && {
      key: "privacy",
      title: t("urgentRequests", { total: formatCount(locale, health.urgentRequests) }),
      text: t("urgentRequestsText"),
      action: { content: t("review"), url: "/app/privacy?state=failed" },
    },
    health.refusedTopics.length > 0 && {
      key: "topics",
      title: t("refusedTopics"),
      text: t("refusedTopicsText", { names: health.refusedTopics.join(", ") }),
      action: { content: t("review"), url: "/app/settings/connection" },
    },
    health.isBannerLate && {
      key: "banner",
      title: t("bannerLate"),
      text: t("bannerLateText"),
      action: { content: t("review"), url: "/app/consent/banner" },
    },
    health.earlyScripts > 0 && {
      key: "scripts",
      title: t("earlyScripts", { count: health.earlyScripts }),
      text: t("earlyScriptsText"),
      action: { content: t("review"), url: "/app/consent/storefront" },
    },
    health.areAgentsBlocked && {
      key: "agents",
      title: t("agentsBlocked"),
      text: t("agentsBlockedText"),
      action: { content: t("review"), url: "/app/settings/agents" },
    },
    health.keptDataAt !== undefined && {
      key: "kept",
      title: t("keptData"),
      text: t("keptDataText", { day: formatDay(health.keptDataAt) }),
    },
  ];
  return needs.filter((need) => need !== false);
}
