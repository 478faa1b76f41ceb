/**
 * Protected customer data (shopify.dev "Protected customer data"): an app needs an approval for
 * customers, and one for each of name, email, phone and address. Without it a field is null beside
 * an error, and a webhook has null in its place.
 */
import { readFileSync } from "node:fs";
import { defaultFieldResolver, getNamedType, GraphQLError } from "graphql";
import type { GraphQLFieldResolver } from "graphql";
import type { Customer, ProtectedData, ShopState } from "../state.ts";
import type { GraphqlContext } from "./admin-api.ts";

const HELP = "See https://shopify.dev/docs/apps/launch/protected-customer-data for more details.";
export const REFUSED_TOPIC = `This app is not approved to subscribe to webhook topics containing protected customer data. ${HELP}`;

/** `Customer.firstName` -> the approval that it needs, as the platform's schema marks it. */
const FIELDS = JSON.parse(
  readFileSync(new URL("./schema/protected-fields.json", import.meta.url), "utf8"),
) as Record<string, ProtectedData>;
const OBJECTS: Record<string, ProtectedData> = {
  Customer: "customers",
  CustomerSegmentMember: "customers",
  Order: "customers",
  MailingAddress: "address",
};
const TOPICS = /^(?:CUSTOMERS?|ORDERS|DRAFT_ORDERS|CHECKOUTS)_/;

export const isWithheld = (shop: ShopState, part: ProtectedData | undefined): boolean =>
  part !== undefined &&
  (shop.withheld ?? []).some((withheld) => withheld === part || withheld === "customers");

export const isWithheldTopic = (shop: ShopState, topic: string): boolean =>
  TOPICS.test(topic) && (shop.withheld ?? []).includes("customers");

const denied = (message: string) =>
  new GraphQLError(`${message} ${HELP}`, {
    extensions: {
      code: "ACCESS_DENIED",
      documentation: "https://shopify.dev/docs/apps/launch/protected-customer-data",
    },
  });

/** Resolves as usual, unless the app is not approved for the field or for the objects that it holds. */
export const resolveUnlessWithheld: GraphQLFieldResolver<unknown, GraphqlContext> = (
  source,
  args,
  context,
  info,
) => {
  const { shop } = context;
  const object = getNamedType(info.returnType).name.replace(/Connection$/, "");
  if (isWithheld(shop, FIELDS[`${info.parentType.name}.${info.fieldName}`]))
    throw denied(`This app is not approved to use the ${info.fieldName} field.`);
  const value: unknown = defaultFieldResolver(source, args, context, info);
  if (value !== null && isWithheld(shop, OBJECTS[object]))
    throw denied(`This app is not approved to access the ${object} object.`);
  return value;
};

/** The customer as a webhook may show it. */
export function shownCustomer(shop: ShopState, customer: Customer): Customer {
  const hides = (part: ProtectedData) => isWithheld(shop, part);
  return {
    ...customer,
    ...(hides("name") && { firstName: null, lastName: null }),
    ...(hides("email") && { email: null }),
    ...(hides("phone") && { phone: null }),
    ...(hides("address") && { countryCode: null }),
  };
}
