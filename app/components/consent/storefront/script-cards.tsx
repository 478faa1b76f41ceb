// What was found, by state: vendor, address, pages, purpose, and what to do.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Box, Card, InlineStack, Text } from "@shopify/polaris";
import type { FoundScript } from "../../../domain/storefront-check/found-script.ts";
import type { StorefrontResult } from "../../../domain/storefront-check/storefront-check.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FactRows } from "../../ui/fact-rows.tsx";
import { PageGutter } from "../../ui/layout.tsx";

const TONES = {
  before_consent: "critical",
  unknown: "warning",
  google_consent_mode: "info",
  blocked: "success",
  waits: "success",
  necessary: "info",
  shopify: "info",
} as const satisfies Record<FoundScript["state"], string>;

export function ScriptCards({ result: { scripts, counts } }: { result: StorefrontResult }) {
  const { t } = useTranslation("storefront-check");
  const locale = useLocale();
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const states = Object.keys(TONES) as FoundScript["state"][];
  return (
    <>
      {states
        .map((state) => ({ state, found: scripts.filter((one) => one.state === state) }))
        .filter(({ found }) => found.length > 0)
        .map(({ state, found }) => (
          <Card key={state}>
            <BlockStack gap="400">
              <CardHeading
                title={t(`states.${state}.title`)}
                status={{ tone: TONES[state], text: formatCount(locale, counts[state]) }}
              />
              <Text as="p" tone="subdued">
                {t(`states.${state}.text`)}
              </Text>
              <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
                {found.map((one) => (
                  <li key={[one.kind, one.vendor, one.address, one.advice].join()}>
                    <Box
                      paddingBlock="300"
                      borderBlockStartWidth="025"
                      borderColor="border-secondary"
                    >
                      <Script one={one} />
                    </Box>
                  </li>
                ))}
              </ul>
            </BlockStack>
          </Card>
        ))}
      {total > scripts.length && (
        <PageGutter>
          <Text as="p" tone="subdued">
            {t("more", {
              total: formatCount(locale, total),
              shown: formatCount(locale, scripts.length),
            })}
          </Text>
        </PageGutter>
      )}
    </>
  );
}

/** Everything of the store's pages is shown as text. */
function Script({ one }: { one: FoundScript }) {
  const { t } = useTranslation("storefront-check");
  const { kind, vendor, address, purposes, pages, advice, snippet } = one;
  const [host] = address.split("/", 1);
  const name = vendor ?? (host || t("kinds.inline"));
  const rows = [
    ...(purposes.length > 0
      ? [
          {
            name: t("row.purposes"),
            value: purposes.map((purpose) => t(`purposes.${purpose}`)).join(", "),
          },
        ]
      : []),
    {
      name: t("row.pages"),
      value: pages.map((page) => labelOf(t("pages", { returnObjects: true }), page)).join(", "),
    },
    ...(advice === null ? [] : [{ name: t("row.what"), value: t(`advice.${advice}`) }]),
  ];
  return (
    <BlockStack gap="200">
      <InlineStack gap="200" blockAlign="center">
        <Text as="h3" variant="headingSm">
          {name}
        </Text>
        <Badge>{t(`kinds.${kind}`)}</Badge>
      </InlineStack>
      {address !== "" && (
        <Text as="p" breakWord>
          <code style={{ overflowWrap: "anywhere" }}>{address}</code>
        </Text>
      )}
      <FactRows rows={rows} />
      {snippet !== null && <Snippet name={name} text={snippet} />}
    </BlockStack>
  );
}

function Snippet({ name, text }: { name: string; text: string }) {
  const { t } = useTranslation("storefront-check");
  return (
    <details>
      <summary>{t("snippet.show")}</summary>
      <BlockStack gap="200" inlineAlign="start">
        <Box background="bg-surface-secondary" padding="300" borderRadius="200" width="100%">
          <pre
            role="group"
            tabIndex={0}
            aria-label={t("snippet.label", { name })}
            style={{ margin: 0, maxHeight: "16rem", overflow: "auto", whiteSpace: "pre-wrap" }}
          >
            <code style={{ overflowWrap: "anywhere" }}>{text}</code>
          </pre>
        </Box>
        <CopyButton
          label={t("snippet.copy")}
          accessibilityLabel={t("snippet.copyOf", { name })}
          text={text}
        />
      </BlockStack>
    </details>
  );
}
