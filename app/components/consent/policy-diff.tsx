// The differences of two texts, marked by more than colour. Loaded with its library only when two
// versions are compared.
import { useTranslation } from "react-i18next";
import { Text } from "@shopify/polaris";
import { useMemo } from "react";
import { findChanges, type Change } from "./policy-changes.ts";
import { ReadingBox } from "./reading-box.tsx";

/** `lang`: the language of both texts. */
export type PolicyDiffProps = { lang: string; before: string; after: string };

export default function PolicyDiff({ lang, before, after }: PolicyDiffProps) {
  const { t } = useTranslation("consent");
  const changes = useMemo(() => findChanges(before, after), [before, after]);
  if (changes.every(({ kind }) => kind === "same"))
    return (
      <Text as="p" tone="subdued">
        {t("policy.compare.equal")}
      </Text>
    );
  return (
    <ReadingBox label={t("policy.compare.title")}>
      {changes.map((change, place) => (
        <Part key={place} lang={lang} change={change} />
      ))}
    </ReadingBox>
  );
}

const MARKS = {
  added: { textDecoration: "underline", background: "var(--p-color-bg-surface-success)" },
  removed: { textDecoration: "line-through", background: "var(--p-color-bg-surface-critical)" },
} as const;

function Part({ lang, change: { kind, text } }: { lang: string; change: Change }) {
  const { t } = useTranslation("consent");
  if (kind === "same") return <span lang={lang}>{text}</span>;
  if (kind === "left_out")
    return (
      <Text as="p" tone="subdued">
        {t("policy.compare.unchanged", { lines: text })}
      </Text>
    );
  const Mark = kind === "added" ? "ins" : "del";
  return (
    <Mark style={MARKS[kind]}>
      <Text as="span" visuallyHidden>
        {`${t(`policy.compare.${kind}`)} `}
      </Text>
      <span lang={lang}>{text}</span>
    </Mark>
  );
}
