// The customer's identity and sign-in methods.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, Text } from "@shopify/polaris";
import { useCodeNames } from "../../i18n/code-names.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { formatAmount, formatCount } from "../../i18n/format-number.ts";
import { FactRows } from "../../ui/fact-rows.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { useLocale, type Locale } from "../../i18n/locale.ts";
import { formatMoney } from "../list/money.ts";
import type { CustomerView, LinkView } from "./detail-shape.ts";

export function ProfileCard({ customer }: { customer: CustomerView }) {
  const { t } = useTranslation("customer");
  const locale = useLocale();
  const countryName = useCodeNames("region");
  const languageName = useCodeNames("language");
  const rows = [
    {
      name: t("rows.email"),
      value: customer.email
        ? `${customer.email} (${customer.isVerified ? t("rows.verified") : t("rows.notVerified")})`
        : t("rows.none"),
    },
    {
      name: t("rows.country"),
      value: customer.country ? countryName(customer.country) : t("rows.none"),
    },
    {
      name: t("rows.language"),
      value: customer.language ? languageName(customer.language) : t("rows.none"),
    },
    { name: t("rows.orders"), value: formatCount(locale, customer.orders) },
    { name: t("rows.spent"), value: formatSpent(locale, customer) },
    {
      name: t("rows.lastSignIn"),
      value: customer.lastSignIn ? <DateTime at={customer.lastSignIn} /> : t("rows.never"),
    },
    { name: t("rows.updated"), value: <DateTime at={customer.updatedAt} /> },
    {
      name: t("rows.storeId"),
      value: customer.gid?.slice(customer.gid.lastIndexOf("/") + 1) ?? t("rows.none"),
    },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("about")} />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

/** The amount has no currency until the store's is known. */
const formatSpent = (locale: Locale, { spent, currency }: CustomerView): string =>
  currency
    ? formatMoney(locale, spent, currency)
    : formatAmount(locale, spent.toFixed(2), "").trim();

export function SignInsCard({ customer, links }: { customer: CustomerView; links: LinkView[] }) {
  const { t } = useTranslation(["customer", "glossary"]);

  const isNew = !customer.hasPassword && links.length === 0;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("signIns")} />
        <BlockStack gap="200">
          {isNew && (
            <Text as="p" tone="subdued">
              {t("noSignIn")}
            </Text>
          )}
          {customer.hasPassword && <Text as="p">{t("password")}</Text>}
          {links.map(({ provider, issuer, created_at: since }) => (
            <BlockStack key={`${provider} ${issuer}`}>
              <Text as="p">
                {labelOf(t("glossary:provider", { returnObjects: true }), provider)}
              </Text>
              <Text as="p" tone="subdued" breakWord>
                {issuer}, {t("since")} <DateTime at={since} />
              </Text>
            </BlockStack>
          ))}
        </BlockStack>
      </BlockStack>
    </Card>
  );
}
