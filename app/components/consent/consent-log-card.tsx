import {
  Badge,
  BlockStack,
  Button,
  Card,
  EmptySearchResult,
  EmptyState,
  IndexTable,
  Link,
  Text,
} from "@shopify/polaris";
import { actionLabel, CONSENT_WORDS, consentLabel, methodLabel } from "./consent-words.ts";
import { FilterBar, type Filter } from "../filter-bar.tsx";
import { formatMoment, Moment } from "../moment.tsx";
import { Pager } from "../pager.tsx";
import { useDownload } from "../use-download.ts";
import { useLocale, useWords } from "../words.tsx";

type LoggedConsent = {
  seq: number;
  created_at: string;
  consent_type: string;
  action: string;
  method: string;
  consent_version: string | null;
  gpc: boolean;
  user_id: number | null;
  email: string | null;
  visitor_id: string | null;
};
type Filters = {
  [Name in "type" | "action" | "method" | "from" | "until" | "email"]?: string | undefined;
};

const TONES: Record<string, "success" | "warning" | "info"> = {
  granted: "success",
  revoked: "warning",
};

export function ConsentLogCard({
  records,
  next,
  filters,
}: {
  records: readonly LoggedConsent[];
  next: string | null;
  filters: Filters;
}) {
  const words = useWords(CONSENT_WORDS);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const { columns } = words;
  if (records.length === 0 && !isFiltered && next === null)
    return (
      <Card>
        <EmptyState
          heading={words.empty.title}
          image=""
          action={{ content: words.empty.action, url: "/app/settings" }}
        >
          <p>{words.empty.text}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar filters={toFilters(words, filters)} />
      <IndexTable
        selectable={false}
        itemCount={records.length}
        resourceName={{ singular: words.log, plural: words.log }}
        emptyState={
          <EmptySearchResult
            title={words.nothingFound.title}
            description={words.nothingFound.text}
          />
        }
        headings={[
          { title: columns.when },
          { title: columns.who },
          { title: columns.what },
          { title: columns.action },
          { title: columns.how },
          { title: columns.version },
          { title: columns.proof },
        ]}
      >
        {records.map((record, at) => (
          <Row key={record.seq} record={record} at={at} />
        ))}
      </IndexTable>
      <Pager next={next} />
    </Card>
  );
}

function Row({ record, at }: { record: LoggedConsent; at: number }) {
  const words = useWords(CONSENT_WORDS);
  const locale = useLocale();
  const download = useDownload();
  const what = consentLabel(words, record.consent_type);
  return (
    <IndexTable.Row id={String(record.seq)} position={at}>
      <IndexTable.Cell>
        <Moment at={record.created_at} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        {record.user_id === null ? (
          words.visitor
        ) : (
          <Link url={`/app/customers/${record.user_id}`}>
            {record.email ?? words.person(record.user_id)}
          </Link>
        )}
      </IndexTable.Cell>
      <IndexTable.Cell>{what}</IndexTable.Cell>
      <IndexTable.Cell>
        <Badge tone={TONES[record.action] ?? "info"}>{actionLabel(words, record.action)}</Badge>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <BlockStack>
          {methodLabel(words, record.method)}
          {record.gpc && (
            <Text as="span" variant="bodySm" tone="subdued">
              {words.gpc}
            </Text>
          )}
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>{record.consent_version ?? "-"}</IndexTable.Cell>
      <IndexTable.Cell>
        <Button
          variant="plain"
          accessibilityLabel={words.proofOf(what, formatMoment(locale, record.created_at))}
          onClick={() => void download(`/app/consent/receipt/${record.seq}`)}
        >
          {words.proof}
        </Button>
      </IndexTable.Cell>
    </IndexTable.Row>
  );
}

function toFilters(words: (typeof CONSENT_WORDS)["en"], filters: Filters): Filter[] {
  const choicesOf = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  return [
    {
      name: "type",
      label: words.filters.type,
      kind: "choice",
      value: filters.type,
      choices: choicesOf(words.kinds),
    },
    {
      name: "action",
      label: words.filters.action,
      kind: "choice",
      value: filters.action,
      choices: choicesOf(words.actions),
    },
    { name: "method", label: words.filters.method, kind: "text", value: filters.method },
    { name: "from", label: words.filters.from, kind: "date", value: filters.from },
    { name: "until", label: words.filters.until, kind: "date", value: filters.until },
    { name: "email", label: words.filters.email, kind: "email", value: filters.email },
  ];
}
