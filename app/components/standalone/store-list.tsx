// Stores with the state of their connection, and a field to name another one.
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
import { STANDALONE_WORDS } from "./standalone-words.ts";
import { useWords } from "../words.tsx";

export type StoreRow = {
  shop: string;
  token: "none" | "valid" | "reauth_required";
  role: string;
  region: string;
  channels: number;
};
const TONES = { valid: "success", none: "warning", reauth_required: "critical" } as const;
const DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

export function StoreList({
  stores,
  path,
}: {
  stores: { rows: StoreRow[]; next: string | null };
  /** The page that `next` belongs to. */ path: string;
}) {
  const { setup } = useWords(STANDALONE_WORDS);
  if (stores.rows.length === 0) return <Text as="p">{setup.noStores}</Text>;
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
                <Badge tone={TONES[token]}>{setup.token[token]}</Badge>
              </InlineStack>
              <Text as="span" tone="subdued">
                {setup.facts(role, region, channels)}
              </Text>
            </BlockStack>
            <InlineStack gap="200">
              <Button
                url={`/settings?shop=${shop}`}
                accessibilityLabel={`${setup.open.settings}: ${shop}`}
              >
                {setup.open.settings}
              </Button>
              <Button
                url={`/onboarding?shop=${shop}`}
                accessibilityLabel={`${setup.open.onboarding}: ${shop}`}
              >
                {setup.open.onboarding}
              </Button>
            </InlineStack>
          </InlineStack>
          <Divider />
        </BlockStack>
      ))}
      {stores.next && (
        <InlineStack>
          <Button url={`${path}?after=${stores.next}`}>{setup.next}</Button>
        </InlineStack>
      )}
    </BlockStack>
  );
}

/** Leads to `path` with the store's name; the domain alone is looked at, whatever is pasted around it. */
export function StoreField({ path, label }: { path: string; label: string }) {
  const { setup, picker } = useWords(STANDALONE_WORDS);
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
          label={setup.domain}
          value={text}
          onChange={setText}
          autoComplete="off"
          placeholder="name.myshopify.com"
          {...(isTried && !isRight && { error: picker.wrong })}
        />
        <InlineStack>
          <Button submit>{label}</Button>
        </InlineStack>
      </FormLayout>
    </form>
  );
}
