// What the standalone admin pages begin with: the gate's pass, and whose store the address names.
import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import type { Ctx } from "../context.server.ts";
import type { GatePass } from "../domain/identity/gate-pass.ts";
import { SHOP_PATTERN } from "../domain/tenants/tenant-config.ts";
import { requireGate } from "./admin-gate.ts";

/** `shop`: null when the address names none. `after`: where a list of stores begins. */
export type StandaloneVisit = { ctx: Ctx; gate: GatePass; shop: string | null; after: string };

/** Throws 401. */
export function visitStandalone({ request, context }: LoaderFunctionArgs): StandaloneVisit {
  const gate = requireGate(context);
  const query = new URL(request.url).searchParams;
  const named = query.get("shop") ?? context.ctx.config.STOREFRONT_STORE_DOMAIN ?? "";
  return {
    ctx: context.ctx,
    gate,
    shop: SHOP_PATTERN.test(named) ? named : null,
    after: query.get("after") ?? "",
  };
}

type Posted = StandaloneVisit & { form: FormData };

/** Null when the session has ended: the page says so and keeps what was typed. */
export async function readPost(args: ActionFunctionArgs): Promise<Posted | null> {
  if (!args.context.gate) return null;
  return { ...visitStandalone(args), form: await args.request.formData() };
}
