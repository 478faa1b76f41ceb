// The texts of one language. An empty field shows and uses the shipped text.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, FormLayout, Select, Text, TextField } from "@shopify/polaris";
import type { BannerEditorFacts } from "../../../domain/tenants/banner/banner-editor.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import type { BannerForm } from "./use-banner-form.ts";

/** In the order of the banner, the preferences and the links below the page. */
const GROUPS = {
  banner: ["title", "text", "refuse", "accept", "choose"],
  preferences: [
    "preferences",
    "necessary",
    "necessaryText",
    "cookie",
    "cookieText",
    "marketing",
    "marketingText",
    "gpc",
    "save",
    "close",
    "saved",
  ],
  links: ["links", "privacy", "terms", "account", "contact", "withdraw", "sale"],
} as const;
/** A text of this length or longer is edited in a field of several lines. */
const LONG = 100;

type Props = {
  form: BannerForm;
  facts: BannerEditorFacts;
  problems: Record<string, string>;
  language: string;
  onLanguage(language: string): void;
};

export function TextCard({ form, facts, problems, language, onLanguage }: Props) {
  const { t } = useTranslation("banner");
  const field = `texts.${language}`;
  const own = (form.fields[field] ?? {}) as Record<string, string>;
  const shipped = facts.shipped[language as keyof typeof facts.shipped];
  const change = (name: string, value: string) => {
    const next = Object.fromEntries(
      Object.entries({ ...own, [name]: value }).filter(([, text]) => text !== ""),
    );
    form.change(field, Object.keys(next).length > 0 ? next : null);
  };
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("texts.title")} />
        <Text as="p" tone="subdued">
          {t("texts.text")}
        </Text>
        <FormLayout>
          <Select
            label={t("texts.language")}
            options={facts.languages.map(({ code, name }) => ({
              value: code,
              label: form.fields[`texts.${code}`] ? t("texts.changed", { name }) : name,
            }))}
            value={language}
            onChange={onLanguage}
          />
          {(Object.keys(GROUPS) as (keyof typeof GROUPS)[]).map((group) => (
            <BlockStack key={group} gap="300">
              <Text as="h3" variant="headingSm">
                {t(`texts.groups.${group}`)}
              </Text>
              {GROUPS[group].map((name) => (
                <TextField
                  key={name}
                  label={t(`texts.names.${name}`)}
                  autoComplete="off"
                  placeholder={shipped[name]}
                  maxLength={facts.maxLengths[name]}
                  multiline={facts.maxLengths[name] > LONG ? 2 : false}
                  value={own[name] ?? ""}
                  error={problems[`${field}.${name}`] && t("texts.problem")}
                  onChange={(value) => change(name, value)}
                />
              ))}
            </BlockStack>
          ))}
          <Button disabled={!form.fields[field]} onClick={() => form.change(field, null)}>
            {t("texts.reset")}
          </Button>
        </FormLayout>
      </BlockStack>
    </Card>
  );
}
