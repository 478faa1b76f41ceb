import { useTranslation } from "react-i18next";
import { BlockStack, Card, Link, List, Text } from "@shopify/polaris";
import { CardHeading } from "../ui/card-heading.tsx";

type Discovery = { manifest: string; card: string; server: string };

export function DiscoveryCard({ discovery }: { discovery: Discovery }) {
  const { t } = useTranslation("agents");
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("discovery.title")} />
        <Text as="p" tone="subdued">
          {t("discovery.text")}
        </Text>
        <List>
          {(["manifest", "card", "server"] as const).map((name) => (
            <List.Item key={name}>
              <Link
                url={discovery[name]}
                target="_blank"
                accessibilityLabel={`${t(`discovery.${name}`)} (${t("discovery.newTab")})`}
              >
                {t(`discovery.${name}`)}
              </Link>
            </List.Item>
          ))}
        </List>
      </BlockStack>
    </Card>
  );
}
