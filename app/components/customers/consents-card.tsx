// What the customer consented to, and the log of every word about it.
import { Badge, BlockStack, Button, Card, Divider, InlineStack, Text } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import type { ConsentView, RecordView } from "./detail-shape.ts";
import { DETAIL_WORDS, type DetailText } from "./detail-words.ts";

export function ConsentsCard({ consents }: { consents: ConsentView[] }) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.consents} />
        <BlockStack gap="200">
          {consents.map(({ type, isGiven, decision }) => (
            <InlineStack key={type} align="space-between" blockAlign="center" gap="200">
              <BlockStack>
                <Text as="span">{names.consent[type] ?? type}</Text>
                <Text as="span" tone="subdued">
                  {decision ? <Told words={words} {...decision} /> : words.never}
                </Text>
              </BlockStack>
              <Badge {...(isGiven && { tone: "success" as const })}>
                {isGiven ? words.given : words.notGiven}
              </Badge>
            </InlineStack>
          ))}
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

type Props = { records: RecordView[]; older: number | null; isNewest: boolean; path: string };

export function TimelineCard({ records, older, isNewest, path }: Props) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.timeline} />
        {records.length === 0 && (
          <Text as="p" tone="subdued">
            {words.timelineEmpty}
          </Text>
        )}
        <BlockStack gap="200">
          {records.map((record, place) => (
            <BlockStack key={record.id} gap="200">
              {place > 0 && <Divider />}
              <BlockStack>
                <Text as="span">{`${names.consent[record.type] ?? record.type}: ${words.actions[record.action] ?? record.action}`}</Text>
                <Text as="span" tone="subdued">
                  <Told words={words} {...record} />
                </Text>
              </BlockStack>
            </BlockStack>
          ))}
        </BlockStack>
        {(older !== null || !isNewest) && (
          <InlineStack gap="200">
            {!isNewest && <Button url={path}>{words.newest}</Button>}
            {older !== null && <Button url={`${path}?before=${older}`}>{words.older}</Button>}
          </InlineStack>
        )}
      </BlockStack>
    </Card>
  );
}

/** When, how and under which policy. */
function Told({
  words,
  at,
  method,
  version,
}: {
  words: DetailText;
  at: string;
  method: string;
  version: string | null;
}) {
  return (
    <>
      <Moment at={at} />, {words.by(words.methods[method] ?? method)}
      {version && `, ${words.policy(version)}`}
    </>
  );
}
