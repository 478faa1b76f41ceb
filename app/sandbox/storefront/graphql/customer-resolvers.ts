/**
 * Customer fields of the sandbox Admin API: query, create, tags, metafields (shopify.dev GraphQL
 * Admin API).
 */
import { GraphQLError } from "graphql";
import { filterCustomers, pageOfCustomers } from "./customer-search.ts";
import type { CustomerSearch } from "./customer-search.ts";
import { schemaOf } from "./admin-api.ts";
import type { GraphqlContext } from "./admin-api.ts";
import {
  checkMetafields,
  digestOf,
  installationGid,
  mergeMetafields,
  nameOf,
} from "./metafields.ts";
import type { MetafieldInput } from "./metafields.ts";
import { ordersOfCustomer } from "../orders.ts";
import type { Customer, Metafield, ShopState } from "../state.ts";

type UserError = { field: string[] | null; message: string };
type Identifier = { id?: string; emailAddress?: string; phoneNumber?: string; customId?: unknown };
type CreateInput = {
  email?: string | null;
  phone?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  note?: string | null;
  tags?: string[] | null;
  locale?: string | null;
};
type TagsChange = { id: string; tags: string[] };

const MAX_TAGS = 250;
const MAX_TAG_LENGTH = 40;
// The fields that customerCreate supports here; any other field is an error, not ignored.
const CREATE_FIELDS = new Set([
  "email",
  "firstName",
  "lastName",
  "locale",
  "phone",
  "note",
  "tags",
]);

export const customerResolvers: Record<string, unknown> = {
  customer: ({ id }: { id: string }, { shop, scope }: GraphqlContext) => {
    requireScope(scope, "customer", "read");
    const customer = findCustomer(shop, id);
    return customer ? toGraphqlCustomer(shop, customer) : null;
  },

  customers: (search: CustomerSearch, { shop, scope, isBulk, maxObjects }: GraphqlContext) => {
    requireScope(scope, "customers", "read");
    if (isBulk)
      return {
        edges: filterCustomers(shop, search.query).map((customer) => ({
          node: toGraphqlCustomer(shop, customer),
        })),
      };
    const { nodes, pageInfo } = pageOfCustomers(shop, search, maxObjects);
    return { nodes: nodes.map((customer) => toGraphqlCustomer(shop, customer)), pageInfo };
  },

  bulkOperationRunQuery: ({ query }: { query: string }, context: GraphqlContext) =>
    context.bulk.run(query, {
      schema: schemaOf(context.apiVersion),
      context: { ...context, isBulk: true },
      rootValue: customerResolvers,
    }),

  bulkOperation: ({ id }: { id: string }, { shop, bulk, baseUrl }: GraphqlContext) =>
    bulk.find(shop, id, baseUrl),

  customerByIdentifier: (
    { identifier }: { identifier: Identifier },
    { shop, scope }: GraphqlContext,
  ) => {
    requireScope(scope, "customerByIdentifier", "read");
    if (identifier.customId !== undefined)
      throw new GraphQLError("The sandbox finds customers by id, emailAddress or phoneNumber");
    const email = identifier.emailAddress?.trim().toLowerCase();
    const customer =
      identifier.id === undefined
        ? Object.values(shop.customers).find((one) =>
            email === undefined
              ? one.phone === identifier.phoneNumber
              : one.email?.toLowerCase() === email,
          )
        : findCustomer(shop, identifier.id);
    return customer ? toGraphqlCustomer(shop, customer) : null;
  },

  customerCreate: ({ input }: { input: Record<string, unknown> }, context: GraphqlContext) => {
    const { shop } = context;
    requireScope(context.scope, "customerCreate", "write");
    if ("id" in input)
      return {
        customer: null,
        userErrors: [{ field: ["id"], message: "Cannot specify ID on creation" }],
      };
    const unknown = Object.keys(input).find((field) => !CREATE_FIELDS.has(field));
    if (unknown !== undefined)
      throw new GraphQLError(
        `The sandbox does not play CustomerInput.${unknown} of customerCreate`,
      );
    const { locale, ...fields } = input as CreateInput;
    const email = fields.email?.trim() || null;
    const tags = splitTags(fields.tags ?? []);
    const userErrors = [
      ...contactErrors(shop, { ...fields, email }),
      ...localeErrors(locale),
      ...tagErrors(tags),
    ];
    if (userErrors.length > 0) return { customer: null, userErrors };
    return {
      customer: toGraphqlCustomer(
        shop,
        context.saveCustomer({ ...fields, email, tags, ...(locale && { locale }) }),
      ),
      userErrors,
    };
  },

  tagsAdd: ({ id, tags }: TagsChange, context: GraphqlContext) =>
    changeTags("tagsAdd", id, context, ({ tags: before }) => {
      const known = new Set(before.map((tag) => tag.toLowerCase()));
      return [...before, ...splitTags(tags).filter((tag) => !known.has(tag.toLowerCase()))];
    }),

  tagsRemove: ({ id, tags }: TagsChange, context: GraphqlContext) =>
    changeTags("tagsRemove", id, context, ({ tags: before }) => {
      const removed = new Set(splitTags(tags).map((tag) => tag.toLowerCase()));
      return before.filter((tag) => !removed.has(tag.toLowerCase()));
    }),

  metafieldsSet: (
    { metafields: inputs }: { metafields: MetafieldInput[] },
    context: GraphqlContext,
  ) => {
    const { shop } = context;
    // Who may write the owner may write its metafields: an app needs no scope for its own installation.
    const isOwn = (gid: string) => gid === installationGid(shop);
    if (!inputs.every(({ ownerId }) => isOwn(ownerId)))
      requireScope(context.scope, "metafieldsSet", "write");
    const findOwner = (gid: string) =>
      isOwn(gid) ? { metafields: shop.appMetafields ?? [] } : shop.customers[gid];
    const userErrors = checkMetafields(inputs, findOwner);
    if (userErrors.length > 0) return { metafields: [], userErrors };
    for (const gid of new Set(inputs.map(({ ownerId }) => ownerId))) {
      const before = findOwner(gid)?.metafields ?? [];
      const after = mergeMetafields(
        before,
        inputs.filter(({ ownerId }) => ownerId === gid),
      );
      if (after.every((metafield) => before.includes(metafield))) continue;
      if (isOwn(gid)) {
        shop.appMetafields = after;
        context.changed();
      } else context.saveCustomer({ gid, metafields: after });
    }
    const written = inputs.map((input) =>
      findOwner(input.ownerId)?.metafields.find((metafield) => nameOf(metafield) === nameOf(input)),
    );
    return {
      metafields: written.flatMap((metafield) =>
        metafield ? [toGraphqlMetafield(metafield)] : [],
      ),
      userErrors,
    };
  },

  metafieldsDelete: (
    { metafields: named }: { metafields: { ownerId: string; namespace: string; key: string }[] },
    context: GraphqlContext,
  ) => {
    requireScope(context.scope, "metafieldsDelete", "write");
    const deletedMetafields = named.map((one) => {
      const before = context.shop.customers[one.ownerId]?.metafields ?? [];
      const after = before.filter((metafield) => nameOf(metafield) !== nameOf(one));
      if (after.length === before.length) return null;
      context.saveCustomer({ gid: one.ownerId, metafields: after });
      return one;
    });
    return { deletedMetafields, userErrors: [] };
  },
};

function changeTags(
  field: string,
  id: string,
  context: GraphqlContext,
  change: (customer: Customer) => string[],
): { node: unknown; userErrors: UserError[] } {
  requireScope(context.scope, field, "write");
  const customer = findCustomer(context.shop, id);
  if (!customer)
    return { node: null, userErrors: [{ field: ["id"], message: "Customer does not exist" }] };
  const tags = change(customer);
  const userErrors = tagErrors(tags);
  if (userErrors.length > 0) return { node: null, userErrors };
  const isSame =
    tags.length === customer.tags.length && tags.every((tag) => customer.tags.includes(tag));
  return {
    node: toGraphqlCustomer(
      context.shop,
      isSame ? customer : context.saveCustomer({ gid: id, tags }),
    ),
    userErrors,
  };
}

/** The platform splits a tag at commas. */
function splitTags(tags: string[]): string[] {
  const single = tags
    .flatMap((tag) => tag.split(","))
    .map((tag) => tag.trim())
    .filter(Boolean);
  return [...new Map(single.map((tag) => [tag.toLowerCase(), tag])).values()];
}

function tagErrors(tags: string[]): UserError[] {
  const long = tags.find((tag) => tag.length > MAX_TAG_LENGTH);
  if (long !== undefined)
    return [
      {
        field: ["tags"],
        message: `Tags ${long} is too long (maximum is ${MAX_TAG_LENGTH} characters)`,
      },
    ];
  return tags.length > MAX_TAGS
    ? [{ field: ["tags"], message: `Tags can't exceed ${MAX_TAGS}` }]
    : [];
}

function contactErrors(
  shop: ShopState,
  { email, phone, firstName, lastName }: CreateInput & { email: string | null },
): UserError[] {
  const others = Object.values(shop.customers);
  if (!email && !phone && !firstName && !lastName)
    return [{ field: null, message: "A name, phone number, or email address must be present" }];
  const errors: UserError[] = [];
  if (email !== null && !/^[^\s@,]+@[^\s@,.]+(\.[^\s@,.]+)+$/.test(email))
    errors.push({ field: ["email"], message: "Email is invalid" });
  if (email !== null && others.some((other) => other.email?.toLowerCase() === email.toLowerCase()))
    errors.push({ field: ["email"], message: "Email has already been taken" });
  if (phone && !/^\+\d{7,15}$/.test(phone))
    errors.push({ field: ["phone"], message: "Phone is invalid" });
  if (phone && others.some((other) => other.phone === phone))
    errors.push({ field: ["phone"], message: "Phone has already been taken" });
  return errors;
}

function localeErrors(locale: string | null | undefined): UserError[] {
  return !locale || /^[a-z]{2,3}(-[A-Z][A-Za-z]{1,3})?$/.test(locale)
    ? []
    : [{ field: ["locale"], message: "Locale is invalid" }];
}

export function findCustomer(shop: ShopState, id: string): Customer | undefined {
  if (!/^gid:\/\/shopify\/Customer\/\d+$/.test(id))
    throw new GraphQLError(`Invalid global id '${id}'`, {
      extensions: { code: "argumentLiteralsIncompatible" },
    });
  return shop.customers[id];
}

export function toGraphqlCustomer(shop: ShopState, customer: Customer): Record<string, unknown> {
  return {
    ...customer,
    id: customer.gid,
    dataSaleOptOut: customer.dataSaleOptOut ?? false,
    orders: ordersOfCustomer(customer.gid),
    amountSpent: { amount: customer.amountSpent, currencyCode: shop.currencyCode },
    defaultEmailAddress:
      customer.email === null
        ? null
        : {
            emailAddress: customer.email,
            marketingState: customer.emailMarketingState,
            marketingUpdatedAt: customer.emailMarketingUpdatedAt,
          },
    defaultPhoneNumber:
      customer.phone === null
        ? null
        : {
            phoneNumber: customer.phone,
            marketingState: customer.smsMarketingState,
            marketingUpdatedAt: customer.smsMarketingUpdatedAt,
          },
    defaultAddress: customer.countryCode === null ? null : { countryCodeV2: customer.countryCode },
  };
}

function toGraphqlMetafield(metafield: Metafield): Record<string, unknown> {
  return { ...metafield, compareDigest: digestOf(metafield) };
}

export function requireScope(granted: string, field: string, access: "read" | "write"): void {
  const scopes = granted.split(",");
  if (
    scopes.includes("write_customers") ||
    (access === "read" && scopes.includes("read_customers"))
  )
    return;
  const requiredAccess = `\`${access}_customers\` access scope.`;
  throw new GraphQLError(`Access denied for ${field} field. Required access: ${requiredAccess}`, {
    extensions: {
      code: "ACCESS_DENIED",
      documentation: "https://shopify.dev/api/usage/access-scopes",
      requiredAccess,
    },
  });
}
