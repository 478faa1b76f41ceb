// The colours of both schemes, each with the contrast that the service measured.
import { useTranslation } from "react-i18next";
import {
  Badge,
  BlockStack,
  Card,
  InlineGrid,
  InlineStack,
  Text,
  TextField,
} from "@shopify/polaris";
import type { BannerColors, BannerContrast } from "../../../domain/tenants/banner/banner-design.ts";
import { formatDecimal } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import type { BannerForm } from "./use-banner-form.ts";

const COLORS = ["ground", "text", "button", "on_button"] as const;
/** The colour that a pair with too little contrast is about. */
const COLOR_OF = { text: "text", button_text: "on_button", button: "button" } as const;
const IS_COLOR = /^#[0-9a-f]{6}$/i;

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
            isWrong={tooLow.includes(name)}
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

type FieldProps = {
  label: string;
  value: string;
  /** Its contrast is too low; the badges below say which and by how much. */
  isWrong: boolean;
  onChange(value: string): void;
};

/** Typed, or picked with the browser's own picker. */
function ColorField({ label, value, isWrong, onChange }: FieldProps) {
  const { t } = useTranslation("banner");
  const isColor = IS_COLOR.test(value);
  return (
    <TextField
      label={label}
      autoComplete="off"
      maxLength={7}
      value={value}
      onChange={onChange}
      error={isColor ? isWrong : t("colors.format")}
      prefix={
        <input
          type="color"
          aria-label={t("colors.pick", { name: label })}
          value={isColor ? value : "#000000"}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
          style={{ width: 24, height: 24, padding: 0, border: 0, background: "none" }}
        />
      }
    />
  );
}
