/** What Ada and the merchant see meanwhile, read from the service as their own pages read it. */
import { fieldsOf, textOf } from "../../exchange.ts";
import { callService } from "../live/service-client.ts";
import { readConsents } from "../live/shopper.ts";
import type { Act } from "../live/act.ts";

type SeenCall = {
  at: string;
  agent: string;
  customer: string;
  operation: string;
  outcome: string;
  code: string;
  amount: string;
  calls: number;
};

export type ShopperView = {
  mayAct: boolean;
  mayPay: boolean;
  agents: string[];
  mandates: { text: string; status: string }[];
  activity: SeenCall[];
};
export type MerchantView = { activity: SeenCall[] };

const SHOWN = 5;
const listOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

const toCall = (call: Record<string, unknown>): SeenCall => ({
  at: textOf(call["at"]),
  agent: textOf(call["agent"]) || "Unknown caller",
  customer: call["customer_id"] ? `Customer ${textOf(call["customer_id"])}` : "",
  operation: textOf(call["operation"]),
  outcome: textOf(call["outcome"]),
  code: textOf(call["code"]),
  amount: call["amount"] ? `${textOf(call["amount"])} ${textOf(call["currency"])}` : "",
  calls: Number(call["calls"] ?? 1),
});

export async function readShopperView(
  act: Act,
  headers: Record<string, string>,
): Promise<ShopperView> {
  const shop = `shop=${encodeURIComponent(act.shop)}`;
  const [consents, grants, mandates, activity] = await Promise.all([
    readConsents(act, headers),
    act.peek(`/oauth/grants?${shop}`, headers),
    act.peek(`/commerce/mandates?${shop}&limit=3`, headers),
    act.peek(`/oauth/activity?${shop}&limit=${SHOWN}`, headers),
  ]);
  return {
    mayAct: consents["a2a"] === true,
    mayPay: consents["ap2"] === true,
    agents: listOf(grants.fields["grants"]).map((grant) => textOf(grant["client_name"])),
    mandates: listOf(mandates.fields["mandates"]).map((mandate) => ({
      text: `${textOf(mandate["spent_amount"])} of ${textOf(mandate["max_amount"])} ${textOf(mandate["currency"])} spent`,
      status: textOf(mandate["status"]),
    })),
    activity: listOf(activity.fields["activity"]).map(toCall),
  };
}

export async function readMerchantView(act: Act, adminKey: string): Promise<MerchantView> {
  const path = `/admin/agent-activity?shop=${encodeURIComponent(act.shop)}&limit=${SHOWN}`;
  const { fields } = await callService(new URL(path, act.sandbox.appUrl()), "GET", {
    headers: { authorization: `Bearer ${adminKey}` },
  });
  return { activity: listOf(fields["activity"]).map(toCall) };
}
