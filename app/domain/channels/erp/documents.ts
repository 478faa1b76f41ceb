// Converts a customer, an order or an invoice to the ERP's document (SAP API_BUSINESS_PARTNER,
// API_SALES_ORDER_SRV, API_BILLING_DOCUMENT_SRV). Pure. `bukrs`, `vkorg` and `vtweg` are in every
// document under these names; the event's id is the external document, so that the ERP recognises a
// repeat. Money keeps its text form.
import { create } from "xmlbuilder2";
import { PermanentFailure } from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import {
  decimalOf,
  fieldsOf,
  firstText,
  listOf,
  ownField,
  type Fields,
} from "../payload-fields.ts";

export type ErpNode = { [name: string]: string | ErpNode | ErpNode[] };
export type Organisation = { bukrs: string; vkorg: string; vtweg: string };
/** The fields of a person, from the event or from our own record. */
export type Party = {
  number: string | null;
  firstName: string | null;
  lastName: string | null;
  company: string | null;
  email: string | null;
  phone: string | null;
  language: string | null;
  address: Fields;
};

const ORGANISATION = ["bukrs", "vkorg", "vtweg"] as const;
const BUSINESS_PARTNER = "A_BusinessPartner";
/** The entity set of each document; also its root element in XML. */
export const ENTITY_SETS: Readonly<Record<string, string>> = {
  customer: BUSINESS_PARTNER,
  order: "A_SalesOrder",
  invoice: "A_BillingDocument",
};

/**
 * From the payload, else its part `erp`, else the store's settings. Throws PermanentFailure naming
 * every missing one.
 */
export function requireOrganisation(
  payload: Fields,
  defaults: Partial<Record<keyof Organisation, string | undefined>> = {},
): Organisation {
  const own = fieldsOf(payload.erp);
  const found = ORGANISATION.map(
    (name) =>
      [name, firstText(payload, name) ?? firstText(own, name) ?? defaults[name] ?? null] as const,
  );
  const missing = found.filter(([, value]) => value === null).map(([name]) => name);
  if (missing.length > 0) throw new PermanentFailure(OWN_FAILURES.fieldsMissing.text(missing));
  return Object.fromEntries(found) as Organisation;
}

/** Leaves out missing values: an empty element would clear the field in the ERP. */
function compact(node: Record<string, string | ErpNode | ErpNode[] | null>): ErpNode {
  return Object.fromEntries(
    Object.entries(node).filter(
      (entry): entry is [string, string | ErpNode | ErpNode[]] =>
        entry[1] !== null && entry[1] !== "",
    ),
  );
}

const isEmpty = (node: ErpNode) => Object.keys(node).length === 0;

export function toBusinessPartner(
  organisation: Organisation,
  eventId: string,
  party: Party,
): ErpNode {
  const isPerson = Boolean(party.firstName ?? party.lastName) || !party.company;
  const address = compact({
    Country: firstText(party.address, "country_code", "countryCode", "country"),
    Region: firstText(party.address, "province_code"),
    CityName: firstText(party.address, "city"),
    PostalCode: firstText(party.address, "zip", "postal_code"),
    StreetName: firstText(party.address, "address1", "street"),
    AdditionalStreetPrefixName: firstText(party.address, "address2"),
    to_EmailAddress: party.email ? [{ EmailAddress: party.email }] : null,
    to_MobilePhoneNumber: party.phone ? [{ PhoneNumber: party.phone }] : null,
  });
  return compact({
    ...organisation,
    ExternalDocumentID: eventId,
    BusinessPartnerCategory: isPerson ? "1" : "2",
    BusinessPartnerIDByExtSystem: party.number,
    FirstName: isPerson ? party.firstName : null,
    LastName: isPerson ? party.lastName : null,
    OrganizationBPName1: isPerson ? null : party.company,
    CorrespondenceLanguage: party.language?.slice(0, 2).toUpperCase() ?? null,
    to_BusinessPartnerAddress: isEmpty(address) ? null : [address],
    to_Customer: {
      to_CustomerCompany: [{ CompanyCode: organisation.bukrs }],
      to_CustomerSalesArea: [
        { SalesOrganization: organisation.vkorg, DistributionChannel: organisation.vtweg },
      ],
    },
  });
}

type Order = { eventId: string; entityId: string; payload: Fields; occurredAt: Date };

export function toSalesOrder(
  organisation: Organisation,
  { eventId, entityId, payload, occurredAt }: Order,
): ErpNode {
  const currency = currencyOf(payload);
  return compact({
    ...organisation,
    SalesOrderType: firstText(fieldsOf(payload.erp), "order_type") ?? "OR",
    SalesOrganization: organisation.vkorg,
    DistributionChannel: organisation.vtweg,
    ExternalDocumentID: eventId,
    PurchaseOrderByCustomer: (
      firstText(payload, "name", "order_number") ?? numberOf(entityId)
    ).slice(0, 35),
    SalesOrderDate: dayOf(firstText(payload, "created_at", "processed_at"), occurredAt),
    SoldToParty: firstText(fieldsOf(payload.erp), "sold_to_party"),
    BusinessPartnerIDByExtSystem: partnerOf(payload),
    TransactionCurrency: currency,
    TotalNetAmount: amountOf(payload, "total_price", "total", "amount"),
    to_Item: linesOf(payload).map((line, index) =>
      compact({
        SalesOrderItem: String((index + 1) * 10),
        Material:
          firstText(line, "sku", "material") ??
          numberOf(firstText(line, "variant_id", "variant_gid") ?? ""),
        SalesOrderItemText: firstText(line, "title", "name", "description"),
        RequestedQuantity: decimalOf(ownField(line, "quantity")) ?? "1",
        NetPriceAmount: amountOf(line, "price", "unit_price", "amount"),
        TransactionCurrency: currency,
      }),
    ),
  });
}

export function toBillingDocument(
  organisation: Organisation,
  { eventId, entityId, payload, occurredAt }: Order,
): ErpNode {
  const currency = currencyOf(payload);
  return compact({
    ...organisation,
    BillingDocument: firstText(payload, "number", "invoice_number", "name") ?? numberOf(entityId),
    BillingDocumentType: firstText(fieldsOf(payload.erp), "billing_type") ?? "F2",
    CompanyCode: organisation.bukrs,
    SalesOrganization: organisation.vkorg,
    DistributionChannel: organisation.vtweg,
    ExternalDocumentID: eventId,
    PurchaseOrderByCustomer:
      firstText(payload, "order_name", "order_ref", "order_id")?.slice(0, 35) ?? null,
    BillingDocumentDate: dayOf(firstText(payload, "issued_at", "created_at"), occurredAt),
    BusinessPartnerIDByExtSystem: partnerOf(payload),
    TransactionCurrency: currency,
    TotalNetAmount: amountOf(payload, "total", "total_price", "amount"),
    TotalTaxAmount: amountOf(payload, "total_tax", "tax"),
    to_Item: linesOf(payload).map((line, index) =>
      compact({
        BillingDocumentItem: String((index + 1) * 10),
        Material: firstText(line, "sku", "material"),
        BillingDocumentItemText: firstText(line, "title", "name", "description"),
        BillingQuantity: decimalOf(ownField(line, "quantity")) ?? "1",
        NetAmount: amountOf(line, "amount", "total", "price"),
        TransactionCurrency: currency,
      }),
    ),
  });
}

/** The number at the end of a gid, or the id as it is. */
export const numberOf = (id: string): string => id.replace(/^gid:\/\/.*\//, "");

const linesOf = (payload: Fields): Fields[] =>
  listOf(ownField(payload, "line_items") ?? ownField(payload, "items"));
const currencyOf = (payload: Fields) =>
  firstText(payload, "currency", "currency_code") ??
  firstText(fieldsOf(ownField(payload, "total")), "currency");

/** Also an amount next to its currency, as our own endpoints write it. */
function amountOf(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const value = ownField(fields, name);
    const amount = decimalOf(value) ?? decimalOf(ownField(fieldsOf(value), "amount"));
    if (amount !== null) return amount;
  }
  return null;
}

function partnerOf(payload: Fields): string | null {
  const customer = fieldsOf(payload.customer);
  const id = firstText(customer, "admin_graphql_api_id", "id") ?? firstText(payload, "customer_id");
  return id && numberOf(id);
}

/** The day in the time zone of the sender, else the day of the event. */
const dayOf = (written: string | null, occurredAt: Date): string =>
  (written && /^\d{4}-\d\d-\d\d/.test(written) ? written : occurredAt.toISOString()).slice(0, 10);

const ELEMENT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;

/** Drops characters that XML cannot hold and escapes the others. */
export function toXml(root: string, document: Fields): string {
  const xml = create({ version: "1.0", encoding: "UTF-8", invalidCharReplacement: "" });
  append(xml.ele(root), document);
  return xml.end();
}

type Builder = ReturnType<ReturnType<typeof create>["ele"]>;

function append(parent: Builder, value: unknown): void {
  if (Array.isArray(value)) for (const one of value) append(parent.ele("item"), one);
  else if (typeof value === "object" && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      if (!ELEMENT_NAME.test(name))
        throw new PermanentFailure(
          `${JSON.stringify(name.slice(0, 80))} cannot be the name of an element`,
        );
      append(parent.ele(name), inner);
    }
  else if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    parent.txt(String(value));
}
