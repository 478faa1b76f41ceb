// Template, place, shape, font, logo and links.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Card,
  Checkbox,
  ChoiceList,
  FormLayout,
  Link,
  RangeSlider,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import type { BannerEditorFacts } from "../../../domain/tenants/banner/banner-editor.ts";
import { LogoUploader } from "../../settings/logo-uploader.tsx";
import { CardHeading } from "../../ui/card-heading.tsx";
import type { BannerForm } from "./use-banner-form.ts";

const TEMPLATES = ["bar", "corner", "centre", "minimal"] as const;
const POSITIONS = { corner: ["left", "right"], minimal: ["left", "middle", "right"] } as const;
const SCHEMES = ["auto", "light", "dark"] as const;
const FONTS = ["system", "theme", "serif", "rounded"] as const;
const MAX_RADIUS = 24;

type Props = {
  form: BannerForm;
  facts: BannerEditorFacts;
  problems: Record<string, string>;
  shop: string;
  canUploadLogo: boolean;
};

export function LayoutCard({ form, facts, problems, shop, canUploadLogo }: Props) {
  const { t } = useTranslation("banner");
  const { fields, change } = form;
  const template = fields.template as (typeof TEMPLATES)[number];
  const positions = template === "corner" || template === "minimal" ? POSITIONS[template] : null;
  const logo = (fields.logo_url as string | null) ?? "";
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("layout.title")} />
        <FormLayout>
          <ChoiceList
            title={t("fields.template")}
            choices={TEMPLATES.map((value) => ({
              value,
              label: t(`layout.templates.${value}`),
              helpText: t(`layout.templateHints.${value}`),
            }))}
            selected={[template]}
            onChange={([value]) => {
              change("template", value);
              if (value === "corner" && fields.position === "middle") change("position", "left");
            }}
          />
          {positions && (
            <Select
              label={t("fields.position")}
              options={positions.map((value) => ({ value, label: t(`layout.positions.${value}`) }))}
              value={fields.position as string}
              onChange={(value) => change("position", value)}
            />
          )}
          <RangeSlider
            output
            label={t("fields.radius")}
            min={0}
            max={MAX_RADIUS}
            value={fields.radius as number}
            suffix={<Text as="span">{`${fields.radius as number} px`}</Text>}
            onChange={(value) => change("radius", value)}
          />
          <Select
            label={t("fields.font")}
            options={FONTS.map((value) => ({ value, label: t(`layout.fonts.${value}`) }))}
            value={fields.font as string}
            onChange={(value) => change("font", value)}
          />
          <Select
            label={t("fields.scheme")}
            options={SCHEMES.map((value) => ({ value, label: t(`layout.schemes.${value}`) }))}
            value={fields.scheme as string}
            onChange={(value) => change("scheme", value)}
          />
          <TextField
            label={t("fields.logo_url")}
            helpText={t("layout.logoHint")}
            autoComplete="off"
            type="url"
            value={logo}
            error={problems.logo_url && t("layout.logoProblem")}
            onChange={(value) => change("logo_url", value.trim() || null)}
          />
          <LogoUploader
            shop={shop}
            url={logo}
            isAllowed={canUploadLogo}
            onUploaded={(url) => change("logo_url", url)}
          />
        </FormLayout>
        <PolicyLinks form={form} facts={facts} />
      </BlockStack>
    </Card>
  );
}

function PolicyLinks({ form, facts }: Pick<Props, "form" | "facts">) {
  const { t } = useTranslation("banner");
  const links = form.fields.links as { privacy: boolean; terms: boolean };
  const isMissing = (links.privacy && !facts.hasPrivacy) || (links.terms && !facts.hasTerms);
  return (
    <BlockStack gap="100">
      <Text as="h3" variant="headingSm">
        {t("fields.links")}
      </Text>
      {(["privacy", "terms"] as const).map((name) => (
        <Checkbox
          key={name}
          label={t(`layout.links.${name}`)}
          checked={links[name]}
          onChange={(isOn) => form.change("links", { ...links, [name]: isOn })}
        />
      ))}
      {isMissing && (
        <Text as="p" tone="subdued">
          {t("layout.links.missing")} <Link url="/app/settings">{t("layout.links.settings")}</Link>
        </Text>
      )}
    </BlockStack>
  );
}
