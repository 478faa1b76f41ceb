import { BlockStack, Card, Text } from "@shopify/polaris";
import { OnceUsable } from "../once-usable.tsx";
import { StandalonePage } from "./standalone-frame.tsx";
import { STANDALONE_WORDS } from "./standalone-words.ts";
import { StoreField, StoreList, type StoreRow } from "./store-list.tsx";
import { useWords } from "../words.tsx";

/** For a page about one store whose address names none, or one that is not registered. */
export function StorePicker({
  path,
  title,
  stores,
  unknown,
}: {
  path: string;
  title: string;
  stores: { rows: StoreRow[]; next: string | null };
  unknown?: string | null;
}) {
  const { picker } = useWords(STANDALONE_WORDS);
  return (
    <StandalonePage title={title} shop={null}>
      <Card>
        <BlockStack gap="400">
          <Text as="h2" variant="headingMd">
            {picker.title}
          </Text>
          <Text as="p" {...(unknown && { tone: "critical" as const })}>
            {unknown ? `${unknown}: ${picker.unknown}` : picker.text}
          </Text>
          <StoreList stores={stores} path={path} />
          <OnceUsable>
            <StoreField path={path} label={picker.open} />
          </OnceUsable>
        </BlockStack>
      </Card>
    </StandalonePage>
  );
}
