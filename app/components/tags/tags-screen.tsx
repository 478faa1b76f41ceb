// A store's tags by category, with the customers who have them.
import { useSearchParams } from "@remix-run/react";
import {
  BlockStack,
  Box,
  Button,
  Card,
  EmptyState,
  IndexTable,
  InlineStack,
  Link,
  Page,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import { useState } from "react";
import { formatCount } from "../figures.ts";
import { CUSTOMER_NAMES } from "../customers/customer-words.ts";
import { LongText } from "../room.tsx";
import { useTyped } from "../use-typed.ts";
import { useLocale, useWords } from "../words.tsx";
import { PrepareCard } from "./prepare-card.tsx";
import { TagModal, type TagQuestion } from "./tag-modals.tsx";
import { TAG_WORDS } from "./tag-words.ts";

type UsedTag = { slug: string; name: string; category: string; people: number; isDefault: boolean };
type Props = {
  query: { category?: string | undefined; q?: string | undefined };
  usage: { tags: UsedTag[]; hasMore: boolean; isEmpty: boolean };
};

export function TagsScreen({ query, usage }: Props) {
  const words = useWords(TAG_WORDS);
  const locale = useLocale();
  const [question, setQuestion] = useState<TagQuestion | null>(null);
  return (
    <>
      <TitleBar title={words.title} />
      <Page
        title={words.title}
        primaryAction={{ content: words.create, onAction: () => setQuestion({ kind: "create" }) }}
      >
        <BlockStack gap="400">
          {!usage.isEmpty && (
            <Card padding="0">
              <Narrow query={query} />
              <TagTable tags={usage.tags} onAsk={setQuestion} />
              {usage.hasMore && (
                <Box padding="400">
                  <Text as="p" tone="subdued">
                    {words.more(formatCount(locale, usage.tags.length))}
                  </Text>
                </Box>
              )}
            </Card>
          )}
          <PrepareCard isEmpty={usage.isEmpty} />
        </BlockStack>
      </Page>
      {question && <TagModal question={question} onClose={() => setQuestion(null)} />}
    </>
  );
}

function Narrow({ query }: { query: Props["query"] }) {
  const words = useWords(TAG_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const [, setParams] = useSearchParams();
  const show = (next: Props["query"]) =>
    setParams(
      Object.entries({ ...query, ...next }).filter((entry): entry is [string, string] =>
        Boolean(entry[1]),
      ),
      { preventScrollReset: true },
    );
  const [typed, search] = useTyped(query.q ?? "", (q) => show({ q }));
  return (
    <Box padding="300">
      <InlineStack gap="300" wrap>
        <div style={{ flex: "1 1 14rem" }}>
          <TextField
            label={words.search}
            labelHidden
            placeholder={words.search}
            value={typed}
            onChange={search}
            autoComplete="off"
            clearButton
            onClearButtonClick={() => search("")}
          />
        </div>
        <Select
          label={words.category}
          labelInline
          options={[
            { value: "", label: words.all },
            ...Object.entries(names.category).map(([value, label]) => ({ value, label })),
          ]}
          value={query.category ?? ""}
          onChange={(category) => show({ category })}
        />
      </InlineStack>
    </Box>
  );
}

function TagTable({ tags, onAsk }: { tags: UsedTag[]; onAsk: (question: TagQuestion) => void }) {
  const words = useWords(TAG_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const locale = useLocale();
  const { columns } = words;
  return (
    <IndexTable
      selectable={false}
      resourceName={words.resource}
      itemCount={tags.length}
      headings={[
        { title: columns.tag },
        { title: columns.category },
        { title: columns.people, alignment: "end" },
        { title: columns.actions, hidden: true },
      ]}
      emptyState={
        <EmptyState heading={words.noMatch} image="">
          <p>{words.noMatchText}</p>
        </EmptyState>
      }
    >
      {tags.map((tag, position) => (
        <IndexTable.Row key={tag.slug} id={tag.slug} position={position}>
          <IndexTable.Cell>
            <LongText>
              <BlockStack>
                <Text as="span" fontWeight="semibold">
                  {tag.name}
                </Text>
                <Text as="span" tone="subdued">
                  {tag.slug}
                </Text>
              </BlockStack>
            </LongText>
          </IndexTable.Cell>
          <IndexTable.Cell>{names.category[tag.category] ?? tag.category}</IndexTable.Cell>
          <IndexTable.Cell>
            <Text as="span" alignment="end" numeric>
              {tag.people > 0 ? (
                <Link
                  url={`/app/customers?tag=${tag.slug}`}
                  accessibilityLabel={words.show(tag.name)}
                >
                  {formatCount(locale, tag.people)}
                </Link>
              ) : (
                "0"
              )}
            </Text>
          </IndexTable.Cell>
          <IndexTable.Cell>
            <InlineStack gap="200" align="end" wrap={false}>
              <Button
                size="slim"
                onClick={() => onAsk({ kind: "rename", slug: tag.slug, name: tag.name })}
                accessibilityLabel={`${words.rename}: ${tag.name}`}
              >
                {words.rename}
              </Button>
              {tag.people === 0 && !tag.isDefault && (
                <Button
                  size="slim"
                  tone="critical"
                  onClick={() => onAsk({ kind: "delete", slug: tag.slug, name: tag.name })}
                  accessibilityLabel={`${words.remove}: ${tag.name}`}
                >
                  {words.remove}
                </Button>
              )}
            </InlineStack>
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
