// Selects tags: existing ones or, where allowed, new ones by name.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Tag, TextField } from "@shopify/polaris";
import { useState } from "react";

type TagOption = { slug: string; name: string };
type Props = {
  known: readonly TagOption[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  canMake: boolean;
  error: string | null;
};

const MAX_SHOWN = 8;

export function TagPicker({ known, chosen, onChange, canMake, error }: Props) {
  const { t } = useTranslation("customers");
  const [text, setText] = useState("");
  const wanted = text.trim().toLowerCase();
  const offered = known
    .filter(
      ({ slug, name }) =>
        !chosen.includes(slug) && (name.toLowerCase().includes(wanted) || slug.includes(wanted)),
    )
    .slice(0, MAX_SHOWN);
  const nameOf = (slug: string) => known.find((tag) => tag.slug === slug)?.name ?? slug;
  const choose = (tag: string) => {
    if (!chosen.includes(tag)) onChange([...chosen, tag]);
    setText("");
  };
  const enter = () => {
    const exact =
      known.find(({ slug, name }) => name.toLowerCase() === wanted || slug === wanted) ??
      (canMake ? undefined : offered[0]);
    if (exact) choose(exact.slug);
    else if (canMake && wanted) choose(text.trim());
  };
  return (
    <BlockStack gap="200">
      <div
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          enter();
        }}
      >
        <TextField
          label={t("bulk.tag")}
          value={text}
          onChange={setText}
          autoComplete="off"
          maxLength={80}
          {...(canMake && { helpText: t("bulk.tagHelp") })}
          error={error ?? undefined}
          connectedRight={<Button onClick={enter}>{t("bulk.choose")}</Button>}
        />
      </div>
      <InlineStack gap="100">
        {chosen.map((slug) => (
          <Tag key={slug} onRemove={() => onChange(chosen.filter((other) => other !== slug))}>
            {nameOf(slug)}
          </Tag>
        ))}
      </InlineStack>
      <InlineStack gap="100">
        {offered.map(({ slug, name }) => (
          <Button key={slug} size="micro" onClick={() => choose(slug)}>
            {name}
          </Button>
        ))}
      </InlineStack>
    </BlockStack>
  );
}
