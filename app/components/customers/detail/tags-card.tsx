// The customer's tags: those that are managed here, by category, and those that the store gave.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineStack, Tag, Text } from "@shopify/polaris";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { TagView } from "./detail-shape.ts";

type Props = {
  tags: TagView[];
  /** The merchant's own tags that are not in the catalog. */
  storeTags: string[];
  canChange: boolean;
};

export function TagsCard({ tags, storeTags, canChange }: Props) {
  const { t } = useTranslation("customer");
  const managed = tags.filter(({ source }) => source !== "storefront");
  const fromStore = [
    ...tags.filter(({ source }) => source === "storefront").map(({ name }) => name),
    ...storeTags,
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("tags")} />
        {managed.length + fromStore.length === 0 && (
          <Text as="p" tone="subdued">
            {t("noTags")}
          </Text>
        )}
        {managed.length > 0 && <ManagedTags tags={managed} canChange={canChange} />}
        {fromStore.length > 0 && (
          <BlockStack gap="200">
            <Text as="h3" variant="headingSm">
              {t("tagGroups.store")}
            </Text>
            <InlineStack gap="100">
              {fromStore.map((name) => (
                <Tag key={name}>{name}</Tag>
              ))}
            </InlineStack>
            <Text as="p" tone="subdued">
              {t("tagGroups.storeText")}
            </Text>
          </BlockStack>
        )}
      </BlockStack>
    </Card>
  );
}

function ManagedTags({ tags, canChange }: { tags: TagView[]; canChange: boolean }) {
  const { t } = useTranslation(["customer", "glossary"]);
  const { submit, isBusy, error } = useScreenAction("tags", {
    onSuccess: () => showToast(t("tagsSaved")),
  });
  const categories = [...new Set(tags.map(({ category }) => category))];
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t("tagGroups.managed")}
      </Text>
      {categories.map((category) => (
        <BlockStack key={category} gap="100">
          <Text as="h4" variant="bodySm" tone="subdued">
            {labelOf(t("glossary:category", { returnObjects: true }), category)}
          </Text>
          <InlineStack gap="100">
            {tags
              .filter((tag) => tag.category === category)
              .map(({ slug, name, source }) => (
                <Tag
                  key={slug}
                  // A rule's tag follows from facts: it comes back when it is removed.
                  {...(canChange &&
                    source !== "system" && { onRemove: () => submit({ remove: [slug] }) })}
                  disabled={isBusy}
                >
                  {name}
                </Tag>
              ))}
          </InlineStack>
        </BlockStack>
      ))}
      {tags.some(({ source }) => source === "system") && (
        <Text as="p" tone="subdued">
          {t("tagGroups.ruleText")}
        </Text>
      )}
      {error && <ActionAlert>{error.message}</ActionAlert>}
    </BlockStack>
  );
}
