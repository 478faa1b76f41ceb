import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import {
  Badge,
  BlockStack,
  IndexTable,
  InlineStack,
  Link,
  Text,
  useBreakpoints,
  type IndexTableProps,
} from "@shopify/polaris";
import type { ListedCustomer } from "../../../domain/customers/list/list-customers.ts";
import { useCodeNames } from "../../i18n/code-names.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { EmailText, WrappingText } from "../../ui/layout.tsx";
import { useLocale } from "../../i18n/locale.ts";
import { StatusBadge } from "../status-badge.tsx";
import { formatMoney, type Currency } from "./money.ts";

type Props = Pick<
  IndexTableProps,
  | "selectedItemsCount"
  | "onSelectionChange"
  | "promotedBulkActions"
  | "bulkActions"
  | "pagination"
  | "hasMoreItems"
  | "emptyState"
  | "paginatedSelectAllText"
  | "paginatedSelectAllActionText"
> & { customers: ListedCustomer[]; selected: string[]; currency: Currency | null };
type RowProps = { customer: ListedCustomer; currency: Currency | null };

const SHOWN_TAGS = 3;

/** In the order of the table; `columns` of the texts has a heading for each. */
const COLUMNS = [
  { key: "customer", align: "start", Cell: Customer },
  { key: "state", align: "start", Cell: State },
  { key: "consent", align: "start", Cell: Marketing },
  { key: "tags", align: "start", Cell: Tags },
  { key: "orders", align: "end", Cell: Orders },
  { key: "spent", align: "end", Cell: Spent },
  { key: "country", align: "start", Cell: Country },
  { key: "signedIn", align: "start", Cell: SignedIn },
] as const satisfies readonly {
  key: string;
  align: "start" | "end";
  Cell: ComponentType<RowProps>;
}[];
/** On a phone one column: the design system's own condensed rows cannot be selected. */
const PHONE_COLUMNS = [{ key: "customer", align: "start", Cell: Condensed }] as const;

export function ListTable({ customers, selected, currency, ...table }: Props) {
  const { t } = useTranslation("customers");
  const { smDown } = useBreakpoints();
  const columns = smDown ? PHONE_COLUMNS : COLUMNS;
  const headings = columns.map(({ key, align }) => ({
    title: t(`columns.${key}`),
    alignment: align,
  }));
  return (
    <IndexTable
      resourceName={t("resource", { returnObjects: true })}
      itemCount={customers.length}
      headings={headings as [(typeof headings)[0]]}
      {...table}
    >
      {customers.map((customer, position) => (
        <IndexTable.Row
          key={customer.id}
          id={String(customer.id)}
          position={position}
          selected={selected.includes(String(customer.id))}
          accessibilityLabel={customer.full_name ?? customer.email ?? `#${customer.id}`}
        >
          {columns.map(({ key, Cell }) => (
            <IndexTable.Cell key={key}>
              <Cell customer={customer} currency={currency} />
            </IndexTable.Cell>
          ))}
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}

function Condensed({ customer, currency }: RowProps) {
  const locale = useLocale();
  const { t } = useTranslation("customers");
  return (
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
        <Customer customer={customer} />
        <State customer={customer} />
      </InlineStack>
      {customer.number_of_orders > 0 && (
        <Text as="span" tone="subdued">
          {t("condensed", {
            orders: formatCount(locale, customer.number_of_orders),
            spent: formatMoney(locale, customer.amount_spent, currency),
          })}
        </Text>
      )}
      <Tags customer={customer} />
    </BlockStack>
  );
}

type CustomerProps = Pick<RowProps, "customer">;

function Customer({ customer: { id, full_name: name, email } }: CustomerProps) {
  const { t } = useTranslation("glossary");
  return (
    <WrappingText>
      <BlockStack>
        <Link dataPrimaryLink url={`/app/customers/${id}`} monochrome removeUnderline>
          <Text as="span" fontWeight="semibold">
            {name ?? (email ? <EmailText email={email} /> : `${t("nobody")} (#${id})`)}
          </Text>
        </Link>
        {name && email && (
          <Text as="span" tone="subdued">
            <EmailText email={email} />
          </Text>
        )}
      </BlockStack>
    </WrappingText>
  );
}

function State({ customer }: CustomerProps) {
  return <StatusBadge status={customer.status} />;
}

function Marketing({ customer }: CustomerProps) {
  const { t } = useTranslation("glossary");
  return customer.consents.includes("marketing") ? (
    <Badge tone="info">{t("consent.marketing")}</Badge>
  ) : null;
}

function Tags({ customer: { tags } }: CustomerProps) {
  const rest = tags.length - SHOWN_TAGS;
  return (
    <InlineStack gap="100">
      {tags.slice(0, SHOWN_TAGS).map(({ slug, name }) => (
        <Badge key={slug}>{name}</Badge>
      ))}
      {rest > 0 && <Text as="span" tone="subdued">{`+${rest}`}</Text>}
    </InlineStack>
  );
}

function Orders({ customer: { number_of_orders: orders } }: CustomerProps) {
  return (
    <Text as="span" alignment="end" numeric>
      {formatCount(useLocale(), orders)}
    </Text>
  );
}

function Spent({ customer: { amount_spent: spent }, currency }: RowProps) {
  return (
    <Text as="span" alignment="end" numeric>
      {formatMoney(useLocale(), spent, currency)}
    </Text>
  );
}

function Country({ customer: { country } }: CustomerProps) {
  const countryName = useCodeNames("region");
  return country && countryName(country);
}

function SignedIn({ customer: { last_login_at: at } }: CustomerProps) {
  const { t } = useTranslation("customers");
  return at ? (
    <DateTime at={at} />
  ) : (
    <Text as="span" tone="subdued">
      {t("never")}
    </Text>
  );
}
