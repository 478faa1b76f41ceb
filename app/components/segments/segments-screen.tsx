// A store's segments: what each means in words, how many customers it has, and what can be done with them.
import { useTranslation } from "react-i18next";
import { useNavigate } from "@remix-run/react";
import { BlockStack, Card, IndexTable, Link, Text } from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import { useEffect, useState } from "react";
import type { ListedSegment } from "../../domain/customers/segments/list-segments.ts";
import type { BulkRunState } from "../../domain/customers/bulk/run-row.ts";
import { BulkActionDialog } from "../customers/list/bulk-actions.tsx";
import { useAppliedText, useFilterGroups, type Choices } from "../customers/list/filter-groups.ts";
import { toQuery } from "../customers/list/list-address.ts";
import type { Currency } from "../customers/list/money.ts";
import { clientLazy } from "../frame/deferred-card.tsx";
import { ScreenPage } from "../frame/screen-page.tsx";
import { useQuestion } from "../hooks/use-question.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { DateTime } from "../ui/date-time.tsx";
import { WrappingText } from "../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { SegmentActions, type SegmentQuestion } from "./segment-actions.tsx";

const BulkRunBanners = clientLazy(() => import("../customers/list/bulk-run-banners.tsx"));
const EditSegment = clientLazy(() => import("./edit-segment.tsx"));

type Props = {
  segments: ListedSegment[];
  choices: Choices;
  currency: Currency | null;
  runs: BulkRunState[];
  hasProfiles: boolean;
};

export function SegmentsScreen({ segments, choices, currency, runs, hasProfiles }: Props) {
  const { t } = useTranslation("segments");
  const navigate = useNavigate();
  const { question, key, ask, close } = useQuestion<SegmentQuestion>();
  const [opened] = useState(runs);
  const [started, setStarted] = useState<BulkRunState[]>([]);
  useCounts(segments);
  const toCustomers = () => navigate("/app/customers");
  return (
    <ScreenPage
      title={t("title")}
      actions={
        segments.length > 0 && (
          <button variant="primary" onClick={toCustomers}>
            {t("create")}
          </button>
        )
      }
    >
      {opened.length + started.length > 0 && <BulkRunBanners opened={opened} started={started} />}
      <Card padding="0">
        {segments.length === 0 ? (
          <EmptyState
            heading={t("empty")}
            action={{ content: t("toCustomers"), onAction: toCustomers }}
          >
            <p>{t("emptyText")}</p>
          </EmptyState>
        ) : (
          <SegmentTable
            segments={segments}
            choices={choices}
            currency={currency}
            hasProfiles={hasProfiles}
            onAsk={ask}
          />
        )}
      </Card>
      {question &&
        (question.action === "rename" || question.action === "delete" ? (
          <EditSegment
            key={key}
            action={question.action}
            segment={question.segment}
            onClose={close}
          />
        ) : (
          <BulkActionDialog
            key={key}
            action={question.action}
            selection={{ segment: question.segment.id, version: question.segment.version }}
            tags={choices.tags}
            onClose={close}
            onStarted={(run) => {
              close();
              setStarted([...started, run]);
            }}
          />
        ))}
    </ScreenPage>
  );
}

/** Has old counts taken again, in calls of bounded length. The page shows the last ones meanwhile. */
function useCounts(segments: ListedSegment[]) {
  const { submit, isBusy, result } = useScreenAction("count");
  const isDue = segments.some(({ isStale }) => isStale) && result?.ok !== false;
  useEffect(() => {
    if (isDue && !isBusy) submit();
    // Once per answer: `submit` is another function each time.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isDue, isBusy]);
}

type TableProps = Pick<Props, "segments" | "choices" | "currency" | "hasProfiles"> & {
  onAsk: (question: SegmentQuestion) => void;
};

function SegmentTable({ segments, choices, currency, hasProfiles, onAsk }: TableProps) {
  const { t } = useTranslation("segments");
  const groups = useFilterGroups(choices, currency);
  const textOf = useAppliedText(currency);
  return (
    <ResponsiveRows>
      <IndexTable
        selectable={false}
        resourceName={t("resource", { returnObjects: true })}
        itemCount={segments.length}
        headings={[
          { title: t("columns.name") },
          { title: t("columns.filter") },
          { title: t("columns.customers"), alignment: "end" },
          { title: t("columns.lastRun") },
          { title: t("columns.actions"), hidden: true },
        ]}
      >
        {segments.map((segment, position) => (
          <SegmentRow
            key={segment.id}
            segment={segment}
            position={position}
            filterTexts={groups.flatMap((group) => textOf(group, segment.filter) ?? [])}
            hasProfiles={hasProfiles}
            onAsk={onAsk}
          />
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}

type RowProps = Pick<TableProps, "hasProfiles" | "onAsk"> & {
  segment: ListedSegment;
  position: number;
  /** The filter in words; empty when it is every customer. */
  filterTexts: readonly string[];
};

function SegmentRow({ segment, position, filterTexts, hasProfiles, onAsk }: RowProps) {
  const { t } = useTranslation("segments");
  const url = `/app/customers?${toQuery({ ...segment, segment: segment.id })}`;
  return (
    <IndexTable.Row id={segment.id} position={position}>
      <RowCell>
        <WrappingText>
          <Link url={url} monochrome removeUnderline>
            <Text as="span" fontWeight="semibold">
              {segment.name}
            </Text>
          </Link>
        </WrappingText>
      </RowCell>
      <RowCell label={t("columns.filter")}>
        <WrappingText>
          <BlockStack>
            {(filterTexts.length > 0 ? filterTexts : [t("everybody")]).map((text) => (
              <Text key={text} as="span">
                {text}
              </Text>
            ))}
          </BlockStack>
        </WrappingText>
      </RowCell>
      <RowCell label={t("columns.customers")}>
        <Count segment={segment} url={url} />
      </RowCell>
      <RowCell label={t("columns.lastRun")}>
        <LastRun run={segment.lastRun} />
      </RowCell>
      <RowCell>
        <SegmentActions segment={segment} url={url} hasProfiles={hasProfiles} onAsk={onAsk} />
      </RowCell>
    </IndexTable.Row>
  );
}

function Count({ segment, url }: { segment: ListedSegment; url: string }) {
  const { t } = useTranslation("segments");
  const locale = useLocale();
  const labelled = useLabelled();
  const { counted } = segment;
  if (!counted)
    return (
      <Text as="span" tone="subdued">
        {t("counting")}
      </Text>
    );
  const customers = formatCount(locale, counted.customers);
  return (
    <BlockStack>
      <Text as="span" alignment="end" numeric>
        <Link url={url} accessibilityLabel={labelled(t("show", { name: segment.name }), customers)}>
          {customers}
        </Link>
      </Text>
      <Text as="span" alignment="end" tone="subdued" variant="bodySm">
        <DateTime at={counted.at} />
      </Text>
    </BlockStack>
  );
}

function LastRun({ run }: { run: BulkRunState | null }) {
  const { t } = useTranslation("segments");
  const locale = useLocale();
  if (!run)
    return (
      <Text as="span" tone="subdued">
        {t("runs.none")}
      </Text>
    );
  const kind = run.kind === "tags" || run.kind === "profile" ? run.kind : "other";
  const count = (value: number) => formatCount(locale, value);
  const stateText = () => {
    switch (run.state) {
      case "done":
        return t(`runs.${kind}`, { total: count(run.changed) });
      case "failed":
        return t("runs.failed");
      case "cancelled":
        return t("runs.stopped", { total: count(run.changed) });
      default:
        return t("runs.running", { done: count(run.processed), total: count(run.total) });
    }
  };
  return (
    <BlockStack>
      <Text as="span" {...(run.state === "failed" && { tone: "critical" })}>
        {stateText()}
      </Text>
      <Text as="span" tone="subdued" variant="bodySm">
        <DateTime at={run.started_at} />
      </Text>
    </BlockStack>
  );
}
