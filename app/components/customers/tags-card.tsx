// The customer's tags by category, added and taken away one by one.
import { BlockStack, Button, Card, InlineStack, Modal, Tag, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import type { TagView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";
import { TagPicker } from "./tag-picker.tsx";
import { useCustomerAction } from "./use-customer-action.ts";

type Props = { id: number; tags: TagView[]; known: readonly { slug: string; name: string }[]; canChange: boolean };

export function TagsCard({ id, tags, known, canChange }: Props) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const [chosen, setChosen] = useState<string[] | null>(null);
  const change = useCustomerAction(id, () => words.tagsSaved, () => setChosen(null));
  const categories = [...new Set(tags.map(({ category }) => category))];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.tags}>{canChange && <Button onClick={() => setChosen([])}>{words.addTag}</Button>}</CardHeading>
        {tags.length === 0 && <Text as="p" tone="subdued">{words.noTags}</Text>}
        {categories.map((category) => (
          <BlockStack key={category} gap="100">
            <Text as="h3" variant="headingSm">
              {names.category[category] ?? category}
            </Text>
            <InlineStack gap="100">
              {tags
                .filter((tag) => tag.category === category)
                .map(({ slug, name }) => (
                  <Tag key={slug} {...(canChange && { onRemove: () => change.send({ intent: "tags", remove: [slug] }) })} disabled={change.isBusy}>
                    {name}
                  </Tag>
                ))}
            </InlineStack>
          </BlockStack>
        ))}
        {change.refused && chosen === null && <Text as="p" tone="critical">{change.refused.text}</Text>}
      </BlockStack>
      {chosen && (
        <Modal
          open
          title={words.addTag}
          onClose={() => setChosen(null)}
          primaryAction={{ content: words.addTag, onAction: () => change.send({ intent: "tags", add: chosen }), loading: change.isBusy, disabled: chosen.length === 0 }}
          secondaryActions={[{ content: words.cancel, onAction: () => setChosen(null) }]}
        >
          <Modal.Section>
            <TagPicker known={known.filter(({ slug }) => !tags.some((tag) => tag.slug === slug))} chosen={chosen} onChange={setChosen} canMake error={change.refused?.text} />
          </Modal.Section>
        </Modal>
      )}
    </Card>
  );
}
