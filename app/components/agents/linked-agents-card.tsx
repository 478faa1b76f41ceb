import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Box, Card, IndexTable, Text } from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import type { StoreAgent } from "../../domain/agents/linked-agents.ts";
import { useScopeLabel } from "./agent-labels.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { DateTime } from "../ui/date-time.tsx";
import { showToast } from "../ui/toast.ts";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";

export function LinkedAgentsCard({
  agents,
  isCut,
  manifestUrl,
}: {
  agents: readonly StoreAgent[];
  isCut: boolean;
  manifestUrl: string;
}) {
  const { t } = useTranslation("agents");
  const scopeLabel = useScopeLabel();
  const locale = useLocale();

  const end = useScreenAction<{ name: string }>("end", {
    onSuccess: ({ name }) => showToast(t("end.done", { name })),
  });
  return (
    <Card padding="0">
      {end.error && (
        <Box padding="400">
          <Banner tone="critical">
            <p>{end.error.message}</p>
          </Banner>
        </Box>
      )}
      {agents.length === 0 ? (
        <EmptyState
          heading={t("empty.title")}
          action={{ content: t("empty.action"), url: manifestUrl, target: "_blank" }}
        >
          <p>{t("empty.text")}</p>
        </EmptyState>
      ) : (
        <ResponsiveRows>
          <IndexTable
            selectable={false}
            itemCount={agents.length}
            resourceName={{ singular: t("agentColumns.agent"), plural: t("title") }}
            headings={[
              { title: t("agentColumns.agent") },
              { title: t("agentColumns.shoppers") },
              { title: t("agentColumns.may") },
              { title: t("agentColumns.since") },
              { title: t("agentColumns.active") },
              { title: t("agentColumns.end") },
            ]}
          >
            {agents.map((agent, at) => (
              <IndexTable.Row key={agent.client_id} id={agent.client_id} position={at}>
                <RowCell>
                  <BlockStack>
                    <Text as="span" fontWeight="semibold">
                      {agent.name}
                    </Text>
                    <Text as="span" variant="bodySm" tone="subdued">
                      {agent.host ?? t("self")}
                    </Text>
                    {agent.returns_to && (
                      <Text as="span" variant="bodySm" tone="subdued">
                        {t("returnsTo", { host: agent.returns_to })}
                      </Text>
                    )}
                  </BlockStack>
                </RowCell>
                <RowCell label={t("agentColumns.shoppers")}>
                  {formatCount(locale, agent.shoppers)}
                </RowCell>
                <RowCell label={t("agentColumns.may")}>
                  <div style={{ whiteSpace: "normal", minWidth: "10rem" }}>
                    {agent.scopes.map((scope) => scopeLabel(scope)).join(", ")}
                  </div>
                </RowCell>
                <RowCell label={t("agentColumns.since")}>
                  <DateTime at={agent.first_linked_at} />
                </RowCell>
                <RowCell label={t("agentColumns.active")}>
                  <DateTime at={agent.last_active_at} />
                </RowCell>
                <RowCell>
                  <ConfirmButton
                    label={t("end.button")}
                    accessibilityLabel={t("end.of", { name: agent.name })}
                    title={t("end.title", { name: agent.name })}
                    confirm={t("end.confirm")}
                    isDestructive
                    variant="plain"
                    isBusy={end.submitted?.client_id === agent.client_id}
                    onConfirm={() => end.submit({ client_id: agent.client_id })}
                  >
                    <Text as="p">
                      {t("end.text", { shoppers: formatCount(locale, agent.shoppers) })}
                    </Text>
                  </ConfirmButton>
                </RowCell>
              </IndexTable.Row>
            ))}
          </IndexTable>
        </ResponsiveRows>
      )}
      {isCut && (
        <Box padding="400">
          <Text as="p" tone="subdued">
            {t("cut", { total: formatCount(locale, agents.length) })}
          </Text>
        </Box>
      )}
    </Card>
  );
}
