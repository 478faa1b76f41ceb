// Who the customer is and how they sign in.
import { BlockStack, Card, Text } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { formatCount } from "../figures.ts";
import { FactRows } from "../fact-rows.tsx";
import { Moment } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import type { CustomerView, LinkView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";

export function ProfileCard({ customer }: { customer: CustomerView }) {
  const { about, rows: names, money } = useWords(DETAIL_WORDS);
  const locale = useLocale();
  const rows = [
    {
      name: names.email,
      value: customer.email
        ? `${customer.email} (${customer.isVerified ? names.verified : names.notVerified})`
        : names.none,
    },
    { name: names.country, value: customer.country ?? names.none },
    { name: names.language, value: customer.language ?? names.none },
    { name: names.orders, value: formatCount(locale, customer.orders) },
    { name: names.spent, value: money(customer.spent.toFixed(2)) },
    {
      name: names.lastSignIn,
      value: customer.lastSignIn ? <Moment at={customer.lastSignIn} /> : names.never,
    },
    { name: names.updated, value: <Moment at={customer.updatedAt} /> },
    {
      name: names.storeId,
      value: customer.gid?.slice(customer.gid.lastIndexOf("/") + 1) ?? names.none,
    },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={about} />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

export function SignInsCard({ customer, links }: { customer: CustomerView; links: LinkView[] }) {
  const words = useWords(DETAIL_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const isNew = !customer.hasPassword && links.length === 0;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.signIns} />
        <BlockStack gap="200">
          {isNew && (
            <Text as="p" tone="subdued">
              {words.noSignIn}
            </Text>
          )}
          {customer.hasPassword && <Text as="p">{words.password}</Text>}
          {links.map(({ provider, issuer, since }) => (
            <BlockStack key={`${provider} ${issuer}`}>
              <Text as="p">{names.provider[provider] ?? provider}</Text>
              <Text as="p" tone="subdued" breakWord>
                {issuer}, {words.since} <Moment at={since} />
              </Text>
            </BlockStack>
          ))}
        </BlockStack>
      </BlockStack>
    </Card>
  );
}
