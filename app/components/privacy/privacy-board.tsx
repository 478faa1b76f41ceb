// The list of privacy requests.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, EmptySearchResult, IndexTable, Link, Text } from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import type { BoardRequest, RequestFilters } from "../../domain/compliance/board/request-list.ts";
import { FilterBar } from "../ui/filter-bar.tsx";
import { EmailText, WrappingText } from "../ui/layout.tsx";
import { Pager } from "../ui/pager.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { PrivacyActions, type RequestAction } from "./privacy-actions.tsx";
import { Due, Explanation, isOpen, Progress, StateBadge, useOwnerName } from "./request-facts.tsx";
import { useRequestActions } from "./use-request-actions.ts";
import { useRequestProgress } from "./use-request-progress.ts";

export type Board = {
  requests: readonly BoardRequest[];
  next: string | null;
  filters: RequestFilters;
  mark: string;
};

export function PrivacyBoard({ requests, next, filters, mark }: Board) {
  const { t } = useTranslation("privacy");
  const actionOf = useRequestActions();
  useRequestProgress(requests.some(isOpen), mark);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  if (requests.length === 0 && !isFiltered && next === null)
    return (
      <Card>
        <EmptyState heading={t("empty.title")}>
          <p>{t("empty.text")}</p>
        </EmptyState>
      </Card>
    );
  const columns = t("columns", { returnObjects: true });
  return (
    <Card padding="0">
      <Filters filters={filters} />
      <ResponsiveRows>
        <IndexTable
          selectable={false}
          itemCount={requests.length}
          resourceName={{ singular: columns.kind, plural: t("title") }}
          emptyState={
            <EmptySearchResult
              title={t("nothingFound.title")}
              description={t("nothingFound.text")}
            />
          }
          headings={[
            { title: columns.customer },
            { title: columns.kind },
            { title: columns.state },
            { title: columns.received },
            { title: columns.dueOrFinished },
            { title: columns.next },
          ]}
        >
          {requests.map((request, at) => (
            <Row key={request.id} request={request} at={at} action={actionOf(request.id)} />
          ))}
        </IndexTable>
      </ResponsiveRows>
      <Pager next={next} />
    </Card>
  );
}

function Filters({ filters }: Pick<Board, "filters">) {
  const { t } = useTranslation("privacy");
  const choicesOf = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  return (
    <FilterBar
      filters={[
        { name: "q", label: t("filters.customer"), kind: "search", value: filters.q },
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
        {
          name: "overdue",
          label: t("filters.due"),
          kind: "choice",
          value: filters.overdue,
          choices: [{ value: "yes", label: t("filters.overdue") }],
        },
      ]}
    />
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
  const { owner } = request;
  const nameOf = useOwnerName();
  return (
    <IndexTable.Row
      id={String(request.id)}
      position={at}
      {...(request.is_overdue && { tone: "critical" })}
    >
      <RowCell>
        <WrappingText>
          <BlockStack>
            <Link url={`/app/privacy/${request.id}`} monochrome removeUnderline>
              <Text as="span" fontWeight="semibold">
                {owner.kind === "customer" && owner.email && owner.name === owner.email ? (
                  <EmailText email={owner.email} />
                ) : (
                  nameOf(request)
                )}
              </Text>
            </Link>
            {owner.kind === "customer" && owner.email && owner.email !== owner.name && (
              <Text as="span" tone="subdued">
                <EmailText email={owner.email} />
              </Text>
            )}
            <Text as="span" variant="bodySm" tone="subdued">
              {request.is_by_hand
                ? t("numberByHand", { id: request.id })
                : t("number", { id: request.id })}
            </Text>
          </BlockStack>
        </WrappingText>
      </RowCell>
      <RowCell label={t("columns.kind")}>{t(`kinds.${request.kind}`)}</RowCell>
      <RowCell label={t("columns.state")}>
        <BlockStack gap="100" inlineAlign="start">
          <StateBadge request={request} />
          <Progress request={request} />
          <Explanation request={request} />
        </BlockStack>
      </RowCell>
      <RowCell label={t("columns.received")}>
        <RelativeTime at={request.received_at} />
      </RowCell>
      <RowCell label={request.due_in_days === null ? t("columns.finished") : t("columns.due")}>
        <Due request={request} />
      </RowCell>
      <RowCell>
        <PrivacyActions request={request} action={action} />
      </RowCell>
    </IndexTable.Row>
  );
}
