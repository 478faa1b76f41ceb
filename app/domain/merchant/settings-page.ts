// The data of the settings' forms: a page inside the store admin, and the standalone page.
import type { Ctx } from "../../context.server.ts";
import { readMailSamples, type MailSamples } from "./mail-samples.ts";
import { listStores } from "./setup-state.ts";
import type { SettingsActor } from "../tenants/admin-key.ts";
import { canUploadLogo } from "../tenants/storefront/logo-upload.ts";
import {
  readPageForm,
  readSettingsForm,
  type FormCard,
} from "../tenants/settings/settings-form.ts";
import type { FormPageName } from "../tenants/settings/settings-pages.ts";
import type { HostsView } from "../tenants/public-hosts.ts";
import { findTenant, type Tenant } from "../tenants/tenant.ts";

export type SettingsPageView = {
  name: FormPageName;
  shop: string;
  cards: FormCard[];
  /** Only on the page with the public hosts. */
  hosts: HostsView | null;
  /** The store allowed the app to write files. */
  canUploadLogo: boolean;
  /** Only on the page of the notifications. */
  mails: MailSamples | null;
};

/** Null when there is no such form. */
export async function readSettingsPage(
  ctx: Ctx,
  tenant: Tenant,
  page: string,
): Promise<SettingsPageView | null> {
  const form = await readPageForm(ctx, tenant, page);
  return (
    form && {
      ...form,
      shop: tenant.shop,
      canUploadLogo: canUploadLogo(tenant),
      mails: form.name === "notifications" ? readMailSamples(tenant) : null,
    }
  );
}

/**
 * The form of the named store, else a list of stores; `unknown` is a store that is not registered.
 */
export async function readStandaloneSettings(
  ctx: Ctx,
  asked: { shop: string | null; after: string; by: SettingsActor },
) {
  const { shop, after, by } = asked;
  const isKnown = shop !== null && (await findTenant(ctx, shop)) !== null;
  if (isKnown)
    return { form: await readSettingsForm(ctx, shop, { by }), stores: null, unknown: null };
  return { form: null, stores: await listStores(ctx, after), unknown: shop };
}
