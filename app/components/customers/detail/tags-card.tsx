// The customer's tags by category, added and removed one by one.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, InlineStack, Tag, Text } from "@shopify/polaris";
import { useState } from "react";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { TagView } from "./detail-shape.ts";
import { TagPicker } from "../tag-picker.tsx";

type Props = {
  tags: TagView[];
  known: readonly { slug: string; name: string }[];
  canChange: boolean;
};

export function TagsCard({ tags, known, canChange }: Props) {
  const { t } = useTranslation(["customer", "glossary"]);

  const [chosen, setChosen] = useState<string[] | null>(null);
  const { submit, isBusy, error } = useScreenAction("tags", {
    onSuccess() {
      setChosen(null);
      showToast(t("tagsSaved"));
    },
  });
  const categories = [...new Set(tags.map(({ category }) => category))];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("tags")}>
          {canChange && <Button onClick={() => setChosen([])}>{t("addTag")}</Button>}
        </CardHeading>
        {tags.length === 0 && (
          <Text as="p" tone="subdued">
            {t("noTags")}
          </Text>
        )}
        {categories.map((category) => (
          <BlockStack key={category} gap="100">
            <Text as="h3" variant="headingSm">
              {labelOf(t("glossary:category", { returnObjects: true }), category)}
            </Text>
            <InlineStack gap="100">
              {tags
                .filter((tag) => tag.category === category)
                .map(({ slug, name }) => (
                  <Tag
                    key={slug}
                    {...(canChange && { onRemove: () => submit({ remove: [slug] }) })}
                    disabled={isBusy}
                  >
                    {name}
                  </Tag>
                ))}
            </InlineStack>
          </BlockStack>
        ))}
        {error && chosen === null && (
          <Text as="p" tone="critical">
            {error.message}
          </Text>
        )}
      </BlockStack>
      {chosen && (
        <Dialog
          title={t("addTag")}
          onClose={() => setChosen(null)}
          primaryAction={{
            content: t("addTag"),
            onAction: () => submit({ add: chosen }),
            loading: isBusy,
            disabled: chosen.length === 0,
          }}
          secondaryAction={{ content: t("cancel"), onAction: () => setChosen(null) }}
        >
          <TagPicker
            known={known.filter(({ slug }) => !tags.some((tag) => tag.slug === slug))}
            chosen={chosen}
            onChange={setChosen}
            canMake
            error={error?.message ?? null}
          />
        </Dialog>
      )}
    </Card>
  );
}
