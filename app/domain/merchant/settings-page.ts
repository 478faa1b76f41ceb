// The data of the settings' forms: a page inside the store admin, and the standalone page.
import type { Ctx } from "../../context.server.ts";
import { listPolicies } from "../consent/policies.ts";
import { versionsOf } from "../consent/policy-versions.ts";
import { readMailSamples, type MailSamples } from "./mail-samples.ts";
import { listStores } from "./setup-state.ts";
import type { SettingsActor } from "../tenants/admin-key.ts";
import { canUploadLogo } from "../tenants/storefront/logo-upload.ts";
import {
  readPageForm,
  readSettingsForm,
  type FormCard,
  type FormField,
} from "../tenants/settings/settings-form.ts";
import type { FormPageName } from "../tenants/settings/settings-pages.ts";
import type { HostsView } from "../tenants/public-hosts.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";

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
      cards: await withPolicyVersions(ctx, tenant, form.cards),
      shop: tenant.shop,
      canUploadLogo: canUploadLogo(tenant),
      mails: form.name === "notifications" ? readMailSamples(tenant) : null,
    }
  );
}

/**
 * The policy version as a choice of the published ones: a mistyped version would ask every shopper again
 * and name no text. A store that publishes no texts here writes its version.
 */
async function withPolicyVersions(
  ctx: Ctx,
  tenant: Tenant,
  cards: FormCard[],
): Promise<FormCard[]> {
  const isVersion = ({ name }: FormField) => name === "consent_policy_version";
  if (!cards.some(({ fields }) => fields.some(isVersion))) return cards;
  const published = versionsOf(await listPolicies(dataOf(ctx, tenant).sql));
  if (published.length === 0) return cards;
  const toChoice = (field: FormField): FormField => ({
    ...field,
    kind: "choice",
    options: [
      ...new Set([...published, ...(typeof field.value === "string" ? [field.value] : [])]),
    ],
  });
  return cards.map((card) => ({
    ...card,
    fields: card.fields.map((field) => (isVersion(field) ? toChoice(field) : field)),
  }));
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
