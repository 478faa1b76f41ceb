import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Button,
  Card,
  EmptySearchResult,
  IndexTable,
  Link,
  Text,
} from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import type { ConsentFilters, LoggedConsent } from "../../domain/consent/consent-log.ts";
import { labelOf } from "../i18n/label-of.ts";
import { FilterBar, type Filter } from "../ui/filter-bar.tsx";
import { DateTime, useDateFormat } from "../ui/date-time.tsx";
import { Pager } from "../ui/pager.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useDownload } from "../hooks/use-download.ts";
import { DecisionBadge } from "./decision-badge.tsx";

export function ConsentLogCard({
  records,
  next,
  filters,
}: {
  records: readonly LoggedConsent[];
  next: string | null;
  filters: ConsentFilters;
}) {
  const { t } = useTranslation(["consent", "glossary"]);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);

  if (records.length === 0 && !isFiltered && next === null)
    return (
      <Card>
        <EmptyState
          heading={t("empty.title")}
          action={{ content: t("empty.action"), url: "/app/settings/consent" }}
        >
          <p>{t("empty.text")}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar filters={toFilters(t, filters)} />
      <ResponsiveRows>
        <IndexTable
          selectable={false}
          itemCount={records.length}
          resourceName={{ singular: t("log"), plural: t("log") }}
          emptyState={
            <EmptySearchResult
              title={t("nothingFound.title")}
              description={t("nothingFound.text")}
            />
          }
          headings={[
            { title: t("columns.when") },
            { title: t("columns.who") },
            { title: t("columns.what") },
            { title: t("columns.decision") },
            { title: t("columns.how") },
            { title: t("columns.version") },
            { title: t("columns.proof") },
          ]}
        >
          {records.map((record, at) => (
            <Row key={record.seq} record={record} at={at} />
          ))}
        </IndexTable>
      </ResponsiveRows>
      <Pager next={next} />
    </Card>
  );
}

function Row({ record, at }: { record: LoggedConsent; at: number }) {
  const { t } = useTranslation(["consent", "glossary"]);
  const { formatMoment } = useDateFormat();
  const download = useDownload();
  const what = labelOf(t("kinds", { returnObjects: true }), record.consent_type);
  return (
    <IndexTable.Row id={String(record.seq)} position={at}>
      <RowCell label={t("columns.when")}>
        <DateTime at={record.created_at} />
      </RowCell>
      <RowCell label={t("columns.who")}>
        {record.user_id === null ? (
          t("visitor")
        ) : (
          <Link url={`/app/customers/${record.user_id}`}>
            {record.email ?? t("person", { id: record.user_id })}
          </Link>
        )}
      </RowCell>
      <RowCell label={t("columns.what")}>{what}</RowCell>
      <RowCell label={t("columns.decision")}>
        <DecisionBadge decision={record.decision} />
      </RowCell>
      <RowCell label={t("columns.how")}>
        <BlockStack>
          {labelOf(t("glossary:methods", { returnObjects: true }), record.method)}
          {record.gpc && (
            <Text as="span" variant="bodySm" tone="subdued">
              {t("gpc")}
            </Text>
          )}
        </BlockStack>
      </RowCell>
      <RowCell label={t("columns.version")}>{record.consent_version ?? "-"}</RowCell>
      <RowCell>
        <Button
          variant="plain"
          accessibilityLabel={t("proofOf", { what, when: formatMoment(record.created_at) })}
          onClick={() => void download(`/app/consent/receipt/${record.seq}`)}
        >
          {t("proof")}
        </Button>
      </RowCell>
    </IndexTable.Row>
  );
}

function toFilters(t: TFunction<["consent", "glossary"]>, filters: ConsentFilters): Filter[] {
  const choicesOf = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  const { not_asked: _, ...decisions } = t("glossary:decisions", { returnObjects: true });
  return [
    {
      name: "type",
      label: t("filters.type"),
      kind: "choice",
      value: filters.type,
      choices: choicesOf(t("kinds", { returnObjects: true })),
    },
    {
      name: "decision",
      label: t("filters.decision"),
      kind: "choice",
      value: filters.decision,
      choices: choicesOf(decisions),
    },
    { name: "method", label: t("filters.method"), kind: "text", value: filters.method },
    { name: "from", label: t("filters.from"), kind: "date", value: filters.from },
    { name: "until", label: t("filters.until"), kind: "date", value: filters.until },
    { name: "email", label: t("filters.email"), kind: "email", value: filters.email },
  ];
}
