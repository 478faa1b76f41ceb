// The data of the standalone settings page.
import type { Ctx } from "../../context.server.ts";
import { listStores } from "./setup-state.ts";
import { readSettingsForm } from "../tenants/settings/settings-form.ts";
import { findTenant } from "../tenants/tenant.ts";

/**
 * The form of the named store, else a list of stores; `unknown` is a store that is not registered.
 */
export async function readSettingsPage(
  ctx: Ctx,
  asked: { shop: string | null; after: string; isPlatform: boolean },
) {
  const { shop, after, isPlatform } = asked;
  const isKnown = shop !== null && (await findTenant(ctx, shop)) !== null;
  if (isKnown)
    return { form: await readSettingsForm(ctx, shop, isPlatform), stores: null, unknown: null };
  return { form: null, stores: await listStores(ctx, after), unknown: shop };
}
