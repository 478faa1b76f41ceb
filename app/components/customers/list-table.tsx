// The rows of the customer list.
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
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { LongText } from "../room.tsx";
import { useLocale, useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import { LIST_WORDS } from "./list-words.ts";

export type ListedCustomer = {
  id: number;
  full_name: string | null;
  email: string | null;
  status: string;
  provider: string;
  country: string | null;
  number_of_orders: number;
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
  | "pagination"
  | "hasMoreItems"
  | "emptyState"
> & { customers: ListedCustomer[]; selected: string[] };

const SHOWN_TAGS = 3;

export function ListTable({ customers, selected, ...table }: Props) {
  const words = useWords(LIST_WORDS);
  const { smDown } = useBreakpoints();
  const { columns } = words;
  const headings = [
    columns.customer,
    columns.state,
    columns.consent,
    columns.tags,
    columns.orders,
    columns.country,
    columns.signedIn,
  ].map((title) => ({ title, ...(title === columns.orders && { alignment: "end" as const }) }));
  return (
    <IndexTable
      condensed={smDown}
      resourceName={words.resource}
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
          {smDown ? <Condensed customer={customer} /> : <Cells customer={customer} />}
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}

function Cells({ customer }: { customer: ListedCustomer }) {
  const locale = useLocale();
  const { never } = useWords(LIST_WORDS);
  return (
    <>
      <IndexTable.Cell>
        <LongText>
          <Who customer={customer} />
        </LongText>
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
      <IndexTable.Cell>{customer.country}</IndexTable.Cell>
      <IndexTable.Cell>
        {customer.last_login_at ? (
          <Moment at={customer.last_login_at} />
        ) : (
          <Text as="span" tone="subdued">
            {never}
          </Text>
        )}
      </IndexTable.Cell>
    </>
  );
}

function Condensed({ customer }: { customer: ListedCustomer }) {
  return (
    <div style={{ padding: "12px 16px", width: "100%" }}>
      <BlockStack gap="100">
        <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
          <LongText>
            <Who customer={customer} />
          </LongText>
          <State customer={customer} />
        </InlineStack>
        <Tags customer={customer} />
      </BlockStack>
    </div>
  );
}

function Who({ customer: { id, full_name: name, email } }: { customer: ListedCustomer }) {
  const { nobody } = useWords(CUSTOMER_NAMES);
  return (
    <BlockStack>
      <Link dataPrimaryLink url={`/app/customers/${id}`} monochrome removeUnderline>
        <Text as="span" fontWeight="semibold">
          {name ?? email ?? `${nobody} (#${id})`}
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
  const names = useWords(CUSTOMER_NAMES);
  return (
    <Badge
      {...(status === "active"
        ? { tone: "success" }
        : status === "suspended"
          ? { tone: "warning" }
          : {})}
    >
      {names.status[status] ?? status}
    </Badge>
  );
}

function Marketing({ customer }: { customer: ListedCustomer }) {
  const { consent } = useWords(CUSTOMER_NAMES);
  return customer.consents.includes("marketing") ? (
    <Badge tone="info">{consent.marketing}</Badge>
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
