// The colours of both schemes, each with the contrast that the service measured.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, InlineGrid, InlineStack, Text } from "@shopify/polaris";
import type { BannerColors, BannerContrast } from "../../../domain/tenants/banner/banner-design.ts";
import { formatDecimal } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { ColorField, isColor } from "../../ui/color-field.tsx";
import type { BannerForm } from "./use-banner-form.ts";

const COLORS = ["ground", "text", "button", "on_button"] as const;
/** The colour that a pair with too little contrast is about. */
const COLOR_OF = { text: "text", button_text: "on_button", button: "button" } as const;

type Props = {
  form: BannerForm;
  contrasts: Record<"light" | "dark", BannerContrast[] | null> | null;
};

export function ColorCard({ form, contrasts }: Props) {
  const { t } = useTranslation("banner");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("colors.title")} />
        <Text as="p" tone="subdued">
          {t("colors.text")}
        </Text>
        {(["light", "dark"] as const).map((scheme) => (
          <Scheme
            key={scheme}
            form={form}
            scheme={scheme}
            contrasts={contrasts?.[scheme] ?? null}
          />
        ))}
      </BlockStack>
    </Card>
  );
}

function Scheme({
  form,
  scheme,
  contrasts,
}: {
  form: BannerForm;
  scheme: "light" | "dark";
  contrasts: BannerContrast[] | null;
}) {
  const { t } = useTranslation("banner");
  const locale = useLocale();
  const colors = form.fields[scheme] as BannerColors;
  const names = t("colors.names", { returnObjects: true });
  const tooLow = (contrasts ?? [])
    .filter(({ ratio, min }) => ratio < min)
    .map(({ name }): string => COLOR_OF[name]);
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t(`fields.${scheme}`)}
      </Text>
      <InlineGrid columns={2} gap="200">
        {COLORS.map((name) => (
          <ColorField
            key={name}
            label={`${names[name]} (${t(`preview.${scheme}`)})`}
            value={colors[name]}
            // The badges below say which contrast is too low, and by how much.
            problem={isColor(colors[name]) ? tooLow.includes(name) : t("colors.format")}
            onChange={(value) => form.change(scheme, { ...colors, [name]: value })}
          />
        ))}
      </InlineGrid>
      <div aria-live="polite">
        <InlineStack gap="200">
          {contrasts?.map(({ name, ratio, min }) => (
            <Badge key={name} tone={ratio >= min ? "success" : "critical"}>
              {t(ratio >= min ? "colors.enough" : "colors.tooLow", {
                name: t(`colors.pairs.${name}`),
                ratio: formatDecimal(locale, ratio),
                min: formatDecimal(locale, min),
              })}
            </Badge>
          ))}
        </InlineStack>
      </div>
    </BlockStack>
  );
}
