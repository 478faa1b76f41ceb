// The settings page as both its places need it: what it shows, and what its buttons post.
import { z } from "zod";
import type { Ctx } from "../context.server.ts";
import { testConnection, type ConnectionTest } from "./connection-tests.ts";
import { listStores } from "./setup-state.ts";
import { readSettingsForm, saveSettings, type SaveResult } from "./tenants/settings-form.ts";
import { checkHosts } from "./tenants/public-hosts.ts";
import { findTenant, getTenant } from "./tenants/tenant.ts";

/** The form of the store that is named, else the stores to choose from; `unknown` is a store that is not registered. */
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

const Posted = z.discriminatedUnion("intent", [
  z.object({ intent: z.literal("save"), fields: z.string() }),
  z.object({ intent: z.literal("test"), system: z.string().max(40) }),
  z.object({ intent: z.literal("check_hosts") }),
]);

/** `proven`: how many hosts count now that did not before. */
export type HostsCheck = { outcome: "checked"; proven: number };

/** Null for what no button of the page posts. Throws `unknown_tenant`. */
export async function actOnSettings(
  ctx: Ctx,
  shop: string,
  form: FormData,
  isPlatform: boolean,
): Promise<SaveResult | ConnectionTest | HostsCheck | null> {
  const posted = Posted.safeParse(Object.fromEntries(form));
  if (!posted.success) return null;
  switch (posted.data.intent) {
    case "test":
      return testConnection(ctx, shop, posted.data.system);
    case "check_hosts":
      return { outcome: "checked", proven: await checkHosts(ctx, await getTenant(ctx, shop)) };
    case "save":
      return saveSettings(ctx, shop, posted.data.fields, isPlatform);
  }
}
