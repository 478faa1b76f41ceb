// Stores with the state of their connection, and a field to enter another one.
import { useTranslation } from "react-i18next";
import {
  Badge,
  BlockStack,
  Button,
  Divider,
  FormLayout,
  InlineStack,
  Text,
  TextField,
} from "@shopify/polaris";
import { useState } from "react";
import type { StoreRow } from "../../domain/merchant/setup-state.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

const TONES = { valid: "success", none: "warning", reauth_required: "critical" } as const;
const DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

export function StoreList({
  stores,
  path,
}: {
  stores: { rows: StoreRow[]; next: string | null };
  /** The page that `next` belongs to. */
  path: string;
}) {
  const { t } = useTranslation("standalone");
  const labelled = useLabelled();
  if (stores.rows.length === 0) return <Text as="p">{t("setup.noStores")}</Text>;
  return (
    <BlockStack gap="300">
      {stores.rows.map(({ shop, token, role, region, channels }) => (
        <BlockStack key={shop} gap="300">
          <InlineStack align="space-between" blockAlign="center" gap="200">
            <BlockStack>
              <InlineStack gap="200" blockAlign="center">
                <Text as="h3" variant="headingSm" breakWord>
                  {shop}
                </Text>
                <Badge tone={TONES[token]}>{t(`setup.token.${token}`)}</Badge>
              </InlineStack>
              <Text as="span" tone="subdued">
                {t("setup.facts", {
                  role,
                  region,
                  systems: t("setup.systems", { count: channels }),
                })}
              </Text>
            </BlockStack>
            <InlineStack gap="200">
              <Button
                url={`/settings?shop=${shop}`}
                accessibilityLabel={labelled(t("setup.open.settings"), shop)}
              >
                {t("setup.open.settings")}
              </Button>
              <Button
                url={`/onboarding?shop=${shop}`}
                accessibilityLabel={labelled(t("setup.open.onboarding"), shop)}
              >
                {t("setup.open.onboarding")}
              </Button>
            </InlineStack>
          </InlineStack>
          <Divider />
        </BlockStack>
      ))}
      {stores.next && (
        <InlineStack>
          <Button url={`${path}?after=${stores.next}`}>{t("setup.next")}</Button>
        </InlineStack>
      )}
    </BlockStack>
  );
}

/** Opens `path` for a store. Only the domain of a pasted URL is used. */
export function StoreField({ path, label }: { path: string; label: string }) {
  const { t } = useTranslation("standalone");
  const [text, setText] = useState("");
  const [isTried, setIsTried] = useState(false);
  const [typed = ""] = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .split("/", 1);
  const shop = typed.includes(".") ? typed : `${typed}.myshopify.com`;
  const isRight = DOMAIN.test(shop);
  return (
    <form
      method="get"
      action={path}
      onSubmit={(event) => {
        setIsTried(true);
        if (!isRight) event.preventDefault();
      }}
    >
      <input type="hidden" name="shop" value={shop} />
      <FormLayout>
        <TextField
          label={t("setup.domain")}
          value={text}
          onChange={setText}
          autoComplete="off"
          placeholder="name.myshopify.com"
          {...(isTried && !isRight && { error: t("picker.wrong") })}
        />
        <InlineStack>
          <Button submit>{label}</Button>
        </InlineStack>
      </FormLayout>
    </form>
  );
}
