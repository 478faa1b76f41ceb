// The first call of the standalone admin pages: checks the gate's pass and finds the store of the URL.
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import type { Ctx } from "../../context.server.ts";
import type { GatePass } from "../../domain/identity/admin-gate/gate-pass.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";
import { requireGate } from "./admin-gate.ts";
import { actionError, actionsFor, type ScreenAction } from "./screen-actions.ts";

/** `shop`: null when the URL names none. `after`: the cursor of a list of stores. */
export type StandaloneContext = { ctx: Ctx; gate: GatePass; shop: string | null; after: string };

/** Throws 401. */
export function requireMerchant({ request, context }: LoaderFunctionArgs): StandaloneContext {
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

/** The same with a store. Throws 401, and 400 when the URL names no store. */
function requireMerchantShop(args: LoaderFunctionArgs): StandaloneContext & { shop: string } {
  const { shop, ...context } = requireMerchant(args);
  if (!shop) throw data(null, 400);
  return { ...context, shop };
}

/** An ended session has its own response, so that the page keeps the form's input. */
const keepingForm =
  (action: ScreenAction): ScreenAction =>
  async (args) =>
    args.context.gate
      ? action(args)
      : data(actionError("", { code: "unauthorized", message: "Your session has ended." }), 401);

const ofMerchant = actionsFor(requireMerchant);
const ofMerchantShop = actionsFor(requireMerchantShop);

/** `defineActions` for a page without a store. */
export const defineOperatorActions: typeof ofMerchant = (actions) =>
  keepingForm(ofMerchant(actions));
/** `defineActions` for a page of one store. */
export const defineStandaloneActions: typeof ofMerchantShop = (actions) =>
  keepingForm(ofMerchantShop(actions));
