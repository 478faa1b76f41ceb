// Every mail as the store's recipients see it, with sample data: for the preview, and for a test mail
// to the merchant. Nothing of a customer is read.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { LANGUAGES } from "../../locales/languages.ts";
import { AppError } from "../../runtime/errors.ts";
import { brandOf } from "../mails/mail-brand.ts";
import {
  MAIL_TEMPLATES,
  MAIL_TEXTS,
  type MailLocale,
  type MailTemplate,
} from "../mails/mail-texts.ts";
import { renderMail, type RenderedMail } from "../mails/render-mail.ts";
import { timeZoneOf } from "../tenants/storefront/time-zone.ts";
import { storeDomains } from "../tenants/storefront/primary-domain.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { sendTestMailWithin } from "./limited-test-mails.ts";

/** What the screen offers. `isSendable`: the sender and the key are set. */
export type MailSamples = {
  templates: readonly MailTemplate[];
  locale: MailLocale;
  isSendable: boolean;
};

const MAX_ADDRESS = 254;
/** Days until a data request that came just now is due. */
const REQUEST_DUE_DAYS = 30;
/** The mail about deadlines speaks of those within a week. */
const SOON_DAYS = 5;

/** Mails to the store, which greet nobody by name. */
const TO_STORE: ReadonlySet<MailTemplate> = new Set([
  "data_export",
  "dead_letter",
  "privacy_due",
  "storefront_finding",
]);

/** Which mail, and how it is shown. */
export const SampleAddress = z.object({
  template: z.enum(MAIL_TEMPLATES),
  locale: z.enum(LANGUAGES),
  scheme: z.enum(["auto", "light", "dark"]).default("auto"),
});
export type SampleAddress = z.output<typeof SampleAddress>;

export const SampleToSend = SampleAddress.omit({ scheme: true }).extend({
  to: z.email().max(MAX_ADDRESS),
});

export const readMailSamples = ({ config }: Tenant): MailSamples => ({
  templates: MAIL_TEMPLATES,
  locale: config.locale,
  isSendable: Boolean(config.email_api_key && config.email_from),
});

const sampleDeadline = (tenant: Tenant, days: number) => ({
  dueBy: new Date(Date.now() + days * 86_400_000),
  timeZone: timeZoneOf(tenant),
});

export const renderSample = (
  tenant: Tenant,
  { template, locale, scheme }: SampleAddress,
): RenderedMail =>
  renderMail(template, {
    locale,
    scheme,
    brand: brandOf(tenant),
    name: TO_STORE.has(template) ? null : "Ada",
    provider: "storefront",
    // To the front page: a link with a made-up token would lead to an error.
    link: `https://${storeDomains(tenant)[0]}/`,
    channel: "cms",
    request:
      template === "data_export" ? { id: 1, ...sampleDeadline(tenant, REQUEST_DUE_DAYS) } : null,
    due: { requests: 3, ...sampleDeadline(tenant, SOON_DAYS) },
    vendors: ["Meta", "TikTok"],
    attempts: 7,
  });

/**
 * Sends a sample at once. Throws `setting_missing` without a sender, and `too_many_requests`, counted by
 * the store and by the address.
 */
export async function sendSample(
  ctx: Ctx,
  tenant: Tenant,
  { to, template, locale }: z.output<typeof SampleToSend>,
): Promise<{ to: string }> {
  const { email_api_key: apiKey, email_from: from } = tenant.config;
  if (!apiKey || !from) throw new AppError("setting_missing");
  const mail = renderSample(tenant, { template, locale, scheme: "auto" });
  const subject = MAIL_TEXTS[locale].sample.replace("{subject}", () => mail.subject);
  const about = { shop: tenant.shop, call: "sample mail" };
  await sendTestMailWithin(ctx, tenant, to, () =>
    ctx.email.send(
      { apiKey, idempotencyKey: ctx.random.uuid(), about },
      { from, to, ...mail, subject },
    ),
  );
  return { to };
}
