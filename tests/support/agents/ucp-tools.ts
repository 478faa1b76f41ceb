// UCP's checkout tools as a platform calls them over MCP, and what their answers say.
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { UCP_VERSIONS } from "../../../app/domain/agents/ucp/profile.ts";
import { toolCall } from "./agent.ts";
import type { Shopper } from "./commerce.ts";
import { SHOP, type Service } from "../service.ts";
import { hasUcpSchemas, ucpSchemas } from "./ucp-schemas.ts";

/** A profile with every capability, of this version of UCP. */
export const ucpProfile = (version: string): string =>
  `https://shopify.dev/ucp/agent-profiles/${version}/valid-with-capabilities.json`;

/** Calls a tool for the shopper, each time with another idempotency key; an error fails the test. */
export async function callUcpTool(
  service: Service,
  shopper: Shopper,
  name: string,
  args: object,
  profile = ucpProfile(UCP_VERSIONS[0]),
): Promise<any> {
  const meta = { "ucp-agent": { profile }, "idempotency-key": randomUUID() };
  const { json } = await service.call("POST", `/mcp?shop=${SHOP}`, {
    key: shopper.token,
    body: toolCall(name, { meta, ...args }),
  });
  expect([name, json.error]).toEqual([name, undefined]);
  return json.result.structuredContent;
}

export const totalsOf = (checkout: any): Record<string, number> =>
  Object.fromEntries(checkout.totals.map(({ type, amount }: any) => [type, amount]));

/** Where the published schemas were fetched: the answer is a checkout with this extension. */
export function expectValidCheckout(
  version: (typeof UCP_VERSIONS)[number],
  extension: "discount" | "fulfillment",
  answer: unknown,
): void {
  if (!hasUcpSchemas(version)) return;
  const validate = ucpSchemas(version).compileAll([
    "shopping/checkout.json",
    `shopping/${extension}.json#/$defs/dev.ucp.shopping.checkout`,
  ]);
  expect([validate(answer), validate.errors]).toEqual([true, null]);
}
