// The agents that shoppers of the store have linked, each with the button that ends its access.
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

type Props = {
  agents: readonly StoreAgent[];
  /** There are more than these. */
  isCut: boolean;
  manifestUrl: string;
};

export function LinkedAgentsCard({ agents, isCut, manifestUrl }: Props) {
  const { t } = useTranslation("agents");
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
        <AgentTable
          agents={agents}
          endingId={end.submitted?.client_id}
          onEnd={(id) => end.submit({ client_id: id })}
        />
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

type TableProps = {
  agents: readonly StoreAgent[];
  /** The client id of the agent whose access is being ended. */
  endingId: unknown;
  onEnd(clientId: string): void;
};

function AgentTable({ agents, endingId, onEnd }: TableProps) {
  const { t } = useTranslation("agents");
  return (
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
          <AgentRow
            key={agent.client_id}
            agent={agent}
            position={at}
            isEnding={endingId === agent.client_id}
            onEnd={() => onEnd(agent.client_id)}
          />
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}

type RowProps = { agent: StoreAgent; position: number; isEnding: boolean; onEnd(): void };

function AgentRow({ agent, position, isEnding, onEnd }: RowProps) {
  const { t } = useTranslation("agents");
  const scopeLabel = useScopeLabel();
  const shoppers = formatCount(useLocale(), agent.shoppers);
  return (
    <IndexTable.Row id={agent.client_id} position={position}>
      <RowCell>
        <AgentName agent={agent} />
      </RowCell>
      <RowCell label={t("agentColumns.shoppers")}>{shoppers}</RowCell>
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
          isBusy={isEnding}
          onConfirm={onEnd}
        >
          <Text as="p">{t("end.text", { shoppers })}</Text>
        </ConfirmButton>
      </RowCell>
    </IndexTable.Row>
  );
}

function AgentName({ agent }: { agent: StoreAgent }) {
  const { t } = useTranslation("agents");
  return (
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
  );
}
