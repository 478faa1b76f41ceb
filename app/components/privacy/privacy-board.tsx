import { useTranslation } from "react-i18next";
import {
  Badge,
  BlockStack,
  Box,
  Card,
  EmptySearchResult,
  EmptyState,
  IndexTable,
  InlineStack,
  Text,
} from "@shopify/polaris";
import { useChannelName } from "../i18n/channel-names.ts";
import type { BoardRequest } from "../../domain/compliance/request-list.ts";
import { FilterBar } from "../ui/filter-bar.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { Pager } from "../ui/pager.tsx";
import { PrivacyActions, type RequestAction } from "./privacy-actions.tsx";
import { useRequestActions } from "./use-request-actions.ts";

type Props = {
  requests: readonly BoardRequest[];
  next: string | null;
  filters: { kind?: string | undefined; state?: string | undefined };
};

const TONES = {
  received: "info",
  running: "info",
  done: "success",
  retained: "success",
  failed: "critical",
} as const;

export function PrivacyBoard({ requests, next, filters }: Props) {
  const { t } = useTranslation("privacy");

  const actionOf = useRequestActions();
  const choicesOf = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  if (
    requests.length === 0 &&
    filters.kind === undefined &&
    filters.state === undefined &&
    next === null
  )
    return (
      <Card>
        <EmptyState heading={t("empty.title")} image="">
          <p>{t("empty.text")}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar
        filters={[
          {
            name: "kind",
            label: t("filters.kind"),
            kind: "choice",
            value: filters.kind,
            choices: choicesOf(t("kinds", { returnObjects: true })),
          },
          {
            name: "state",
            label: t("filters.state"),
            kind: "choice",
            value: filters.state,
            choices: choicesOf(t("groups", { returnObjects: true })),
          },
        ]}
      />
      <IndexTable
        selectable={false}
        itemCount={requests.length}
        resourceName={{ singular: t("columns.kind"), plural: t("title") }}
        emptyState={
          <EmptySearchResult title={t("nothingFound.title")} description={t("nothingFound.text")} />
        }
        headings={[
          { title: t("columns.kind") },
          { title: t("columns.state") },
          { title: t("columns.received") },
          { title: t("columns.due") },
          { title: t("columns.finished") },
          { title: t("columns.next") },
        ]}
      >
        {requests.map((request, at) => (
          <Row key={request.id} request={request} at={at} action={actionOf(request.id)} />
        ))}
      </IndexTable>
      <Pager next={next} />
    </Card>
  );
}

function Row({
  request,
  at,
  action,
}: {
  request: BoardRequest;
  at: number;
  action: RequestAction;
}) {
  const { t } = useTranslation("privacy");
  const isFinished = request.completed_at !== null;
  return (
    <IndexTable.Row
      id={String(request.id)}
      position={at}
      {...(request.is_overdue && { tone: "critical" })}
    >
      <IndexTable.Cell>
        <BlockStack>
          <Text as="span" fontWeight="semibold">
            {t(`kinds.${request.kind}`)}
          </Text>
          <Text as="span" variant="bodySm" tone="subdued">
            {t("number", { id: request.id })}
            {request.is_by_hand && `, ${t("byHand")}`}
          </Text>
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <BlockStack gap="100" inlineAlign="start">
          <Badge tone={TONES[request.state]}>{t(`states.${request.state}`)}</Badge>
          <Explanation request={request} />
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <DateTime at={request.received_at} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <InlineStack gap="200" wrap={false}>
          <DateTime at={request.due_by} />
          {request.is_overdue && <Badge tone="critical">{t("overdue")}</Badge>}
        </InlineStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        {isFinished ? <DateTime at={request.completed_at as string} /> : "-"}
      </IndexTable.Cell>
      <IndexTable.Cell>
        <PrivacyActions request={request} action={action} />
      </IndexTable.Cell>
    </IndexTable.Row>
  );
}

function Explanation({ request }: { request: BoardRequest }) {
  const { t } = useTranslation("privacy");
  const channelName = useChannelName();

  const { problem } = request;
  const statusText =
    problem &&
    (problem.kind === "system"
      ? t("system", {
          name: channelName(problem.system ?? ""),
        })
      : t(`problems.${problem.kind}`));
  return (
    <Box maxWidth="20rem">
      <div style={{ whiteSpace: "normal" }}>
        {statusText && (
          <Text as="p" variant="bodySm">
            {statusText}
          </Text>
        )}
        {request.next_attempt_at && (
          <Text as="p" variant="bodySm" tone="subdued">
            {t("again")} <DateTime at={request.next_attempt_at} />
          </Text>
        )}
        {request.state === "retained" && (
          <Text as="p" variant="bodySm" tone="subdued">
            {t("kept")}
          </Text>
        )}
      </div>
    </Box>
  );
}
