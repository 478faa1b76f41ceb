import { BlockStack, Card, Link, List, Text } from "@shopify/polaris";
import { AGENT_WORDS } from "./agent-words.ts";
import { CardHeading } from "../card-heading.tsx";
import { useWords } from "../words.tsx";

type Discovery = { manifest: string; card: string; server: string };

export function DiscoveryCard({ discovery }: { discovery: Discovery }) {
  const words = useWords(AGENT_WORDS).discovery;
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={words.title} />
        <Text as="p" tone="subdued">
          {words.text}
        </Text>
        <List>
          {(["manifest", "card", "server"] as const).map((name) => (
            <List.Item key={name}>
              <Link
                url={discovery[name]}
                target="_blank"
                accessibilityLabel={`${words[name]} (${words.newTab})`}
              >
                {words[name]}
              </Link>
            </List.Item>
          ))}
        </List>
      </BlockStack>
    </Card>
  );
}
