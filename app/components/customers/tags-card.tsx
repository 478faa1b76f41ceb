// The customer's tags by category, added and taken away one by one.
import { BlockStack, Button, Card, InlineStack, Tag, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { Dialog } from "../dialog.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import type { TagView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";
import { TagPicker } from "./tag-picker.tsx";

type Props = {
  tags: TagView[];
  known: readonly { slug: string; name: string }[];
  canChange: boolean;
};

export function TagsCard({ tags, known, canChange }: Props) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const { run, isBusy, refused } = useDeed({
    onDone() {
      setChosen(null);
      return words.tagsSaved;
    },
  });
  const problem = useRefusal(refused);
  const categories = [...new Set(tags.map(({ category }) => category))];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.tags}>
          {canChange && <Button onClick={() => setChosen([])}>{words.addTag}</Button>}
        </CardHeading>
        {tags.length === 0 && (
          <Text as="p" tone="subdued">
            {words.noTags}
          </Text>
        )}
        {categories.map((category) => (
          <BlockStack key={category} gap="100">
            <Text as="h3" variant="headingSm">
              {names.category[category] ?? category}
            </Text>
            <InlineStack gap="100">
              {tags
                .filter((tag) => tag.category === category)
                .map(({ slug, name }) => (
                  <Tag
                    key={slug}
                    {...(canChange && { onRemove: () => run("tags", { remove: [slug] }) })}
                    disabled={isBusy}
                  >
                    {name}
                  </Tag>
                ))}
            </InlineStack>
          </BlockStack>
        ))}
        {problem && chosen === null && (
          <Text as="p" tone="critical">
            {problem}
          </Text>
        )}
      </BlockStack>
      {chosen && (
        <Dialog
          title={words.addTag}
          onClose={() => setChosen(null)}
          primaryAction={{
            content: words.addTag,
            onAction: () => run("tags", { add: chosen }),
            loading: isBusy,
            disabled: chosen.length === 0,
          }}
          secondaryActions={[{ content: words.cancel, onAction: () => setChosen(null) }]}
        >
          <TagPicker
            known={known.filter(({ slug }) => !tags.some((tag) => tag.slug === slug))}
            chosen={chosen}
            onChange={setChosen}
            canMake
            error={problem}
          />
        </Dialog>
      )}
    </Card>
  );
}
