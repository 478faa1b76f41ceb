/** The legal policies that the store publishes, behind their own scope. */
import type { GraphqlContext } from "./graphql/admin-api.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState } from "./state.ts";

export type ShopPolicy = {
  type: "PRIVACY_POLICY" | "TERMS_OF_SERVICE" | "REFUND_POLICY";
  title: string;
  body: string;
  updatedAt: string;
};

const PUBLISHED_AT = "2026-09-01T09:00:00Z";

const firstPolicies = ({ name }: ShopState): ShopPolicy[] => [
  {
    type: "PRIVACY_POLICY",
    title: "Privacy policy",
    body: `<h2>What we collect</h2><p>${name} collects your name, your email address and your orders.</p><h2>Why</h2><ul><li>To deliver what you order.</li><li>With your consent, to measure visits and to send news.</li></ul><p>Write to us to see, correct or delete it.</p>`,
    updatedAt: PUBLISHED_AT,
  },
  {
    type: "TERMS_OF_SERVICE",
    title: "Terms of service",
    body: `<p>By ordering at ${name} you accept these terms.</p>`,
    updatedAt: PUBLISHED_AT,
  },
  { type: "REFUND_POLICY", title: "Refund policy", body: "", updatedAt: PUBLISHED_AT },
];

export const policiesOf = (shop: ShopState): ShopPolicy[] => shop.policies ?? firstPolicies(shop);

/** The end of its address in the store: `privacy-policy`. */
export const policyHandle = (type: ShopPolicy["type"]): string =>
  type.toLowerCase().replaceAll("_", "-");

/** The field `shopPolicies` of the shop. */
export function shopPolicies(
  _: unknown,
  { shop, scope }: GraphqlContext,
): (ShopPolicy & { id: string })[] {
  requireAccess(scope, "shopPolicies", "read_legal_policies");
  return policiesOf(shop).map((policy, at) => ({
    ...policy,
    id: `gid://shopify/ShopPolicy/${at + 1}`,
  }));
}

/** What the merchant writes in the store's settings. */
export function putPolicy(shop: ShopState, type: ShopPolicy["type"], body: string): void {
  shop.policies = policiesOf(shop).map((policy) =>
    policy.type === type ? { ...policy, body, updatedAt: new Date().toISOString() } : policy,
  );
}
