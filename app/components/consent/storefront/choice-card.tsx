// Vendors whose tags ask for the shopper's choice, and the way to the setting that sends it.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, Text } from "@shopify/polaris";
import { CardHeading } from "../../ui/card-heading.tsx";

type Props = { vendors: string[]; themeEditorUrl: string };

export function ChoiceCard({ vendors, themeEditorUrl }: Props) {
  const { t } = useTranslation("storefront-check");
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("choice.title")}>
          <Button url={themeEditorUrl} target="_blank">
            {t("choice.button")}
          </Button>
        </CardHeading>
        <Text as="p">{t("choice.text", { vendors: vendors.join(", ") })}</Text>
      </BlockStack>
    </Card>
  );
}
