import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Card,
  EmptySearchResult,
  EmptyState,
  IndexTable,
  Link,
  Text,
} from "@shopify/polaris";
import { AGENT_WORDS, coverLabel } from "./agent-words.ts";
import { ConfirmButton } from "../confirm-button.tsx";
import { formatAmount } from "../figures.ts";
import { FilterBar } from "../filter-bar.tsx";
import { Moment } from "../moment.tsx";
import { Pager } from "../pager.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";

type Status = "active" | "used" | "revoked" | "expired";
type Mandate = {
  mandate_id: string;
  customer_id: number;
  email: string | null;
  agents: readonly string[];
  max_amount: string;
  spent_amount: string;
  remaining: string;
  currency: string;
  scope: string;
  usage: string;
  status: Status;
  expires_at: string;
};
type Props = {
  mandates: readonly Mandate[];
  next: string | null;
  filters: { status?: string | undefined; email?: string | undefined };
};

const TONES: Record<Status, "success" | "info" | "warning" | undefined> = {
  active: "success",
  used: "info",
  revoked: "warning",
  expired: undefined,
};

export function MandatesCard({ mandates, next, filters }: Props) {
  const words = useWords(AGENT_WORDS);
  const { mandateColumns: columns, mandatesEmpty: empty, nothingFound } = words;
  const isFiltered = filters.status !== undefined || filters.email !== undefined;
  const { run, sent, refused } = useDeed({ onDone: () => words.revoke.done });
  const problem = useRefusal(refused);
  if (mandates.length === 0 && !isFiltered)
    return (
      <Card>
        <EmptyState
          heading={empty.title}
          image=""
          action={{ content: empty.action, url: "/app/agents" }}
        >
          <p>{empty.text}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar
        filters={[
          {
            name: "status",
            label: words.filters.status,
            kind: "choice",
            value: filters.status,
            choices: Object.entries(words.statuses).map(([value, label]) => ({ value, label })),
          },
          { name: "email", label: words.filters.email, kind: "email", value: filters.email },
        ]}
      />
      {problem && (
        <Box padding="400">
          <Banner tone="critical">
            <p>{problem}</p>
          </Banner>
        </Box>
      )}
      <IndexTable
        selectable={false}
        itemCount={mandates.length}
        resourceName={{ singular: words.mandates, plural: words.mandates }}
        emptyState={
          <EmptySearchResult title={nothingFound.title} description={nothingFound.text} />
        }
        headings={[
          { title: columns.person },
          { title: columns.agents },
          { title: columns.most },
          { title: columns.spent },
          { title: columns.left },
          { title: columns.scope },
          { title: columns.status },
          { title: columns.expires },
          { title: columns.end },
        ]}
      >
        {mandates.map((mandate, at) => (
          <Row
            key={mandate.mandate_id}
            mandate={mandate}
            at={at}
            isBusy={sent?.mandate_id === mandate.mandate_id}
            onRevoke={() => run("revoke", { mandate_id: mandate.mandate_id })}
          />
        ))}
      </IndexTable>
      <Pager next={next} />
    </Card>
  );
}

function Row({
  mandate,
  at,
  isBusy,
  onRevoke,
}: {
  mandate: Mandate;
  at: number;
  isBusy: boolean;
  onRevoke(): void;
}) {
  const words = useWords(AGENT_WORDS);
  const locale = useLocale();
  const who = mandate.email ?? words.person(mandate.customer_id);
  const amount = (value: string) => formatAmount(locale, value, mandate.currency);
  const tone = TONES[mandate.status];
  return (
    <IndexTable.Row id={mandate.mandate_id} position={at}>
      <IndexTable.Cell>
        <Link url={`/app/customers/${mandate.customer_id}`}>{who}</Link>
      </IndexTable.Cell>
      <IndexTable.Cell>{mandate.agents.join(", ") || words.anyAgent}</IndexTable.Cell>
      <IndexTable.Cell>{amount(mandate.max_amount)}</IndexTable.Cell>
      <IndexTable.Cell>{amount(mandate.spent_amount)}</IndexTable.Cell>
      <IndexTable.Cell>{amount(mandate.remaining)}</IndexTable.Cell>
      <IndexTable.Cell>
        <BlockStack>
          {coverLabel(words, mandate.scope)}
          {mandate.usage === "multi" && (
            <Text as="span" variant="bodySm" tone="subdued">
              {words.multi}
            </Text>
          )}
        </BlockStack>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Badge {...(tone && { tone })}>{words.statuses[mandate.status]}</Badge>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Moment at={mandate.expires_at} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        {mandate.status === "active" && (
          <ConfirmButton
            label={words.revoke.button}
            accessibilityLabel={words.revoke.of(amount(mandate.max_amount), who)}
            title={words.revoke.title}
            confirm={words.revoke.confirm}
            isDestructive
            variant="plain"
            isBusy={isBusy}
            onConfirm={onRevoke}
          >
            <Text as="p">{words.revoke.text}</Text>
          </ConfirmButton>
        )}
      </IndexTable.Cell>
    </IndexTable.Row>
  );
}
