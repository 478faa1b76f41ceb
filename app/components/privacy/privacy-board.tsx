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
import { CHANNEL_WORDS, channelLabel } from "../events/channel-words.ts";
import { FilterBar } from "../filter-bar.tsx";
import { Moment } from "../moment.tsx";
import { Pager } from "../pager.tsx";
import { PrivacyActions, type RequestDeed } from "./privacy-actions.tsx";
import { PRIVACY_WORDS } from "./privacy-words.ts";
import { useRequestDeeds } from "./use-request-deeds.ts";
import { useWords } from "../words.tsx";

type Problem = {
  kind: "no_email_provider" | "no_recipient" | "system" | "left_behind" | "ours";
  system: string | null;
};
export type ShownRequest = {
  id: number;
  kind: "data_request" | "customer_redact" | "shop_redact";
  state: "received" | "running" | "done" | "retained" | "failed";
  is_by_hand: boolean;
  received_at: string;
  due_by: string;
  is_overdue: boolean;
  completed_at: string | null;
  next_attempt_at: string | null;
  problem: Problem | null;
  has_export: boolean;
  can_retry: boolean;
};
type Props = {
  requests: readonly ShownRequest[];
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
  const words = useWords(PRIVACY_WORDS);
  const { columns, nothingFound, empty } = words;
  const deedOf = useRequestDeeds();
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
        <EmptyState heading={empty.title} image="">
          <p>{empty.text}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar
        filters={[
          {
            name: "kind",
            label: words.filters.kind,
            kind: "choice",
            value: filters.kind,
            choices: choicesOf(words.kinds),
          },
          {
            name: "state",
            label: words.filters.state,
            kind: "choice",
            value: filters.state,
            choices: choicesOf(words.groups),
          },
        ]}
      />
      <IndexTable
        selectable={false}
        itemCount={requests.length}
        resourceName={{ singular: columns.kind, plural: words.title }}
        emptyState={
          <EmptySearchResult title={nothingFound.title} description={nothingFound.text} />
        }
        headings={[
          { title: columns.kind },
          { title: columns.state },
          { title: columns.received },
          { title: columns.due },
          { title: columns.finished },
          { title: columns.next },
        ]}
      >
        {requests.map((request, at) => (
          <Row key={request.id} request={request} at={at} deed={deedOf(request.id)} />
        ))}
      </IndexTable>
      <Pager next={next} />
    </Card>
  );
}

function Row({ request, at, deed }: { request: ShownRequest; at: number; deed: RequestDeed }) {
  const words = useWords(PRIVACY_WORDS);
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
            {words.kinds[request.kind]}
          </Text>
          <Text as="span" variant="bodySm" tone="subdued">
            {words.number(request.id)}
            {request.is_by_hand && `, ${words.byHand}`}
          </Text>
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <BlockStack gap="100" inlineAlign="start">
          <Badge tone={TONES[request.state]}>{words.states[request.state]}</Badge>
          <Explanation request={request} />
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Moment at={request.received_at} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <InlineStack gap="200" wrap={false}>
          <Moment at={request.due_by} />
          {request.is_overdue && <Badge tone="critical">{words.overdue}</Badge>}
        </InlineStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        {isFinished ? <Moment at={request.completed_at as string} /> : "-"}
      </IndexTable.Cell>
      <IndexTable.Cell>
        <PrivacyActions request={request} deed={deed} />
      </IndexTable.Cell>
    </IndexTable.Row>
  );
}

function Explanation({ request }: { request: ShownRequest }) {
  const words = useWords(PRIVACY_WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const { problem } = request;
  const said =
    problem &&
    (problem.kind === "system"
      ? words.system(channelLabel(channels, problem.system ?? ""))
      : words.problems[problem.kind]);
  return (
    <Box maxWidth="20rem">
      <div style={{ whiteSpace: "normal" }}>
        {said && (
          <Text as="p" variant="bodySm">
            {said}
          </Text>
        )}
        {request.next_attempt_at && (
          <Text as="p" variant="bodySm" tone="subdued">
            {words.again} <Moment at={request.next_attempt_at} />
          </Text>
        )}
        {request.state === "retained" && (
          <Text as="p" variant="bodySm" tone="subdued">
            {words.kept}
          </Text>
        )}
      </div>
    </Box>
  );
}
