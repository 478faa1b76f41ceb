/**
 * The customers of a store as the users of an OpenID provider. A customer's subject is not the customer's
 * number, and does not lead to it.
 */
import { createHash } from "node:crypto";
import type { Person, Realm, Visitor } from "../../oidc/people.ts";
import type { CustomerPatch } from "../customers.ts";
import type { Customer, ShopState } from "../state.ts";

/** Creates a customer (no gid) or updates one, and sends the webhooks. */
type SaveCustomer = (domain: string, patch: CustomerPatch) => Customer;

/** `storeUrl`: below it stand the endpoints of the store's issuer. */
export function realmOf(shop: ShopState, storeUrl: string, saveCustomer: SaveCustomer): Realm {
  const issuer = `${storeUrl}/authentication/${shop.id}`;
  return {
    name: shop.name,
    issuer,
    endpoints: {
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      end_session_endpoint: `${issuer}/logout`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
    },
    people: () =>
      withEmail(shop)
        .toReversed()
        .map((customer) => toPerson(shop, customer)),
    upsertUser: (visitor) => toPerson(shop, upsertCustomer(shop, visitor, saveCustomer)),
  };
}

function upsertCustomer(
  shop: ShopState,
  { email, name, emailVerified }: Visitor,
  saveCustomer: SaveCustomer,
): Customer {
  const known = withEmail(shop).find(
    (customer) => customer.email?.toLowerCase() === email.toLowerCase(),
  );
  const [firstName, ...rest] = name?.split(" ") ?? [];
  const patch: CustomerPatch = {
    ...(name && { firstName, lastName: rest.join(" ") || null }),
    ...(emailVerified !== undefined && { verifiedEmail: emailVerified }),
  };
  if (!known) return saveCustomer(shop.domain, { email, ...patch });
  const isSame = Object.entries(patch).every(
    ([field, value]) => known[field as keyof Customer] === value,
  );
  return isSame ? known : saveCustomer(shop.domain, { gid: known.gid, ...patch });
}

function withEmail(shop: ShopState): Customer[] {
  return Object.values(shop.customers).filter(({ email }) => email !== null);
}

/** Opaque and stable: it neither is nor contains the customer's number. */
export function subjectOf(shop: ShopState, gid: string): string {
  return createHash("sha256").update(`${shop.id} ${gid}`).digest("base64url").slice(0, 32);
}

export function findBySubject(shop: ShopState, subject: string): Customer | undefined {
  return Object.values(shop.customers).find(({ gid }) => subjectOf(shop, gid) === subject);
}

function toPerson(shop: ShopState, customer: Customer): Person {
  const name = [customer.firstName, customer.lastName].filter(Boolean).join(" ");
  return {
    sub: subjectOf(shop, customer.gid),
    email: customer.email,
    emailVerified: customer.verifiedEmail,
    name: name || null,
  };
}
