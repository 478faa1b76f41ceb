// The agents that may act for the customer, and the newest mandates to pay.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, InlineStack, Link, Text } from "@shopify/polaris";
import { formatAmount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import type { AgentView, MandateView } from "./detail-shape.ts";

type Props = { agents: AgentView[]; mandates: MandateView[]; email: string | null };

export function AgentsCard({ agents, mandates, email }: Props) {
  const { t } = useTranslation("customer");
  const search = email === null ? "" : `?${new URLSearchParams({ email })}`;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("agents.title")}>
          {mandates.length > 0 && (
            <Link url={`/app/agents/mandates${search}`}>{t("agents.allMandates")}</Link>
          )}
        </CardHeading>
        {agents.length + mandates.length === 0 && (
          <Text as="p" tone="subdued">
            {t("agents.none")}
          </Text>
        )}
        {agents.map((agent) => (
          <BlockStack key={agent.id}>
            <Text as="span" breakWord>
              {agent.client_name}
            </Text>
            <Text as="span" tone="subdued">
              {t("agents.active")} <DateTime at={agent.last_used_at ?? agent.created_at} />
            </Text>
          </BlockStack>
        ))}
        {mandates.map((mandate) => (
          <Mandate key={mandate.mandate_id} mandate={mandate} />
        ))}
      </BlockStack>
    </Card>
  );
}

function Mandate({ mandate }: { mandate: MandateView }) {
  const { t } = useTranslation("customer");
  const locale = useLocale();
  const { currency, status } = mandate;
  return (
    <BlockStack>
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" numeric>
          {t("agents.remaining", {
            remaining: formatAmount(locale, mandate.remaining, currency),
            limit: formatAmount(locale, mandate.max_amount, currency),
          })}
        </Text>
        <Badge {...(status === "active" && { tone: "success" })}>
          {t(`agents.statuses.${status}`)}
        </Badge>
      </InlineStack>
      {status === "active" && (
        <Text as="span" tone="subdued">
          {t("agents.until")} <DateTime at={mandate.expires_at} />
        </Text>
      )}
    </BlockStack>
  );
}
