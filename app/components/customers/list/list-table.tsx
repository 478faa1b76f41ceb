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
import { useCodeNames } from "../../i18n/code-names.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { WrappingText } from "../../ui/layout.tsx";
import { useLocale } from "../../i18n/locale.ts";
import { formatMoney, type Currency } from "./money.ts";

export type ListedCustomer = {
  id: number;
  full_name: string | null;
  email: string | null;
  status: string;
  provider: string;
  country: string | null;
  number_of_orders: number;
  amount_spent: number;
  last_login_at: string | null;
  updated_at: string;
  consents: string[];
  tags: { slug: string; name: string }[];
};

type Props = Pick<
  IndexTableProps,
  | "selectedItemsCount"
  | "onSelectionChange"
  | "promotedBulkActions"
  | "bulkActions"
  | "pagination"
  | "hasMoreItems"
  | "emptyState"
> & { customers: ListedCustomer[]; selected: string[]; currency: Currency | null };
type RowProps = { customer: ListedCustomer; currency: Currency | null };

const SHOWN_TAGS = 3;

export function ListTable({ customers, selected, currency, ...table }: Props) {
  const { t } = useTranslation("customers");
  const { smDown } = useBreakpoints();

  // On a phone one column: the design system's own condensed rows cannot be selected.
  const titles = smDown
    ? [t("columns.customer")]
    : [
        t("columns.customer"),
        t("columns.state"),
        t("columns.consent"),
        t("columns.tags"),
        t("columns.orders"),
        t("columns.spent"),
        t("columns.country"),
        t("columns.signedIn"),
      ];
  const headings = titles.map((title) => ({
    title,
    ...([t("columns.orders"), t("columns.spent")].includes(title) && {
      alignment: "end" as const,
    }),
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
          {smDown ? (
            <Condensed customer={customer} currency={currency} />
          ) : (
            <Cells customer={customer} currency={currency} />
          )}
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}

function Cells({ customer, currency }: RowProps) {
  const locale = useLocale();
  const countryName = useCodeNames("region");
  const { t } = useTranslation("customers");
  return (
    <>
      <IndexTable.Cell>
        <WrappingText>
          <Who customer={customer} />
        </WrappingText>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <State customer={customer} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Marketing customer={customer} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Tags customer={customer} />
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text as="span" alignment="end" numeric>
          {formatCount(locale, customer.number_of_orders)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>
        <Text as="span" alignment="end" numeric>
          {formatMoney(locale, customer.amount_spent, currency)}
        </Text>
      </IndexTable.Cell>
      <IndexTable.Cell>{customer.country && countryName(customer.country)}</IndexTable.Cell>
      <IndexTable.Cell>
        {customer.last_login_at ? (
          <DateTime at={customer.last_login_at} />
        ) : (
          <Text as="span" tone="subdued">
            {t("never")}
          </Text>
        )}
      </IndexTable.Cell>
    </>
  );
}

function Condensed({ customer, currency }: RowProps) {
  const locale = useLocale();
  const { t } = useTranslation("customers");
  return (
    <IndexTable.Cell>
      <BlockStack gap="100">
        <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
          <WrappingText>
            <Who customer={customer} />
          </WrappingText>
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
    </IndexTable.Cell>
  );
}

function Who({ customer: { id, full_name: name, email } }: { customer: ListedCustomer }) {
  const { t } = useTranslation("glossary");
  return (
    <BlockStack>
      <Link dataPrimaryLink url={`/app/customers/${id}`} monochrome removeUnderline>
        <Text as="span" fontWeight="semibold">
          {name ?? email ?? `${t("nobody")} (#${id})`}
        </Text>
      </Link>
      {name && email && (
        <Text as="span" tone="subdued">
          {email}
        </Text>
      )}
    </BlockStack>
  );
}

function State({ customer: { status } }: { customer: ListedCustomer }) {
  const { t } = useTranslation("glossary");
  return (
    <Badge
      {...(status === "active"
        ? { tone: "success" }
        : status === "suspended"
          ? { tone: "warning" }
          : {})}
    >
      {labelOf(t("status", { returnObjects: true }), status)}
    </Badge>
  );
}

function Marketing({ customer }: { customer: ListedCustomer }) {
  const { t } = useTranslation("glossary");
  return customer.consents.includes("marketing") ? (
    <Badge tone="info">{t("consent.marketing")}</Badge>
  ) : null;
}

function Tags({ customer: { tags } }: { customer: ListedCustomer }) {
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
