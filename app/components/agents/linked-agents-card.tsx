import { Banner, BlockStack, Box, Card, EmptyState, IndexTable, Text } from "@shopify/polaris";
import { AGENT_WORDS, scopeLabel } from "./agent-words.ts";
import { ConfirmButton } from "../confirm-button.tsx";
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";

type Agent = {
  client_id: string;
  name: string;
  host: string | null;
  returns_to: string | null;
  shoppers: number;
  scopes: readonly string[];
  first_linked_at: string;
  last_active_at: string;
};

export function LinkedAgentsCard({
  agents,
  isCut,
  manifestUrl,
}: {
  agents: readonly Agent[];
  isCut: boolean;
  manifestUrl: string;
}) {
  const words = useWords(AGENT_WORDS);
  const locale = useLocale();
  const { agentColumns: columns, empty } = words;
  const { run, sent, refused } = useDeed<{ name: string }>({
    onDone: ({ name }) => words.end.done(name),
  });
  const problem = useRefusal(refused);
  return (
    <Card padding="0">
      {problem && (
        <Box padding="400">
          <Banner tone="critical">
            <p>{problem}</p>
          </Banner>
        </Box>
      )}
      {agents.length === 0 ? (
        <EmptyState
          heading={empty.title}
          image=""
          action={{ content: empty.action, url: manifestUrl, target: "_blank" }}
        >
          <p>{empty.text}</p>
        </EmptyState>
      ) : (
        <IndexTable
          selectable={false}
          itemCount={agents.length}
          resourceName={{ singular: columns.agent, plural: words.title }}
          headings={[
            { title: columns.agent },
            { title: columns.shoppers },
            { title: columns.may },
            { title: columns.since },
            { title: columns.active },
            { title: columns.end },
          ]}
        >
          {agents.map((agent, at) => (
            <IndexTable.Row key={agent.client_id} id={agent.client_id} position={at}>
              <IndexTable.Cell>
                <BlockStack>
                  <Text as="span" fontWeight="semibold">
                    {agent.name}
                  </Text>
                  <Text as="span" variant="bodySm" tone="subdued">
                    {agent.host ?? words.self}
                  </Text>
                  {agent.returns_to && (
                    <Text as="span" variant="bodySm" tone="subdued">
                      {words.returnsTo(agent.returns_to)}
                    </Text>
                  )}
                </BlockStack>
              </IndexTable.Cell>
              <IndexTable.Cell>{formatCount(locale, agent.shoppers)}</IndexTable.Cell>
              <IndexTable.Cell>
                <div style={{ whiteSpace: "normal", minWidth: "10rem" }}>
                  {agent.scopes.map((scope) => scopeLabel(words, scope)).join(", ")}
                </div>
              </IndexTable.Cell>
              <IndexTable.Cell>
                <Moment at={agent.first_linked_at} />
              </IndexTable.Cell>
              <IndexTable.Cell>
                <Moment at={agent.last_active_at} />
              </IndexTable.Cell>
              <IndexTable.Cell>
                <ConfirmButton
                  label={words.end.button}
                  accessibilityLabel={words.end.of(agent.name)}
                  title={words.end.title(agent.name)}
                  confirm={words.end.confirm}
                  isDestructive
                  variant="plain"
                  isBusy={sent?.client_id === agent.client_id}
                  onConfirm={() => run("end", { client_id: agent.client_id })}
                >
                  <Text as="p">{words.end.text(formatCount(locale, agent.shoppers))}</Text>
                </ConfirmButton>
              </IndexTable.Cell>
            </IndexTable.Row>
          ))}
        </IndexTable>
      )}
      {isCut && (
        <Box padding="400">
          <Text as="p" tone="subdued">
            {words.cut(formatCount(locale, agents.length))}
          </Text>
        </Box>
      )}
    </Card>
  );
}
