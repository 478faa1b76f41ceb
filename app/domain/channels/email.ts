// Channel `email`: mails to shoppers. The link in a mail is made at the attempt and stored nowhere but as a hash.
import { z } from "zod";
import { OutboundError } from "../../runtime/errors.ts";
import { isChannelEnabled, PermanentFailure, type Channel } from "../bus/channel.ts";
import { createWelcomeLink } from "../customers/welcome.ts";
import { renderWelcome } from "./email-messages.ts";
import { findItemCustomer, GONE, isNothing, nothingToSend } from "./item-customer.ts";

/** The key was used with other words: every attempt makes a link of its own, and the one in the mail that left is good. */
const isSentAlready = (error: unknown) => error instanceof OutboundError && error.status === 409 && (error.body ?? "").includes("invalid_idempotent_request");

const Mail = z.looseObject({ template: z.literal("welcome") });

export const emailChannel: Channel = {
  name: "email",
  credentialsKey: "email_api_key",
  marketing: false,
  requiresConsent: null,
  isEnabled: (tenant) => isChannelEnabled(tenant, "email", Boolean(tenant.config.email_api_key && tenant.config.email_from)),
  async transform(ctx, item, tenant) {
    if (!Mail.safeParse(item.payload).success) throw new PermanentFailure("the payload names no known template");
    const customer = await findItemCustomer(ctx, item, tenant);
    if (!customer?.email) return nothingToSend("/emails");
    return { transformed_payload: { template: "welcome", user_id: customer.id }, delivery_config: { method: "POST", endpoint: "/emails", credentials_key: "email_api_key" } };
  },
  async deliver(ctx, item, message, tenant) {
    if (isNothing(message)) return GONE;
    const customer = await findItemCustomer(ctx, item, tenant);
    if (!customer?.email) return GONE;
    const { email_api_key: apiKey, email_from: from } = tenant.config;
    if (!apiKey || !from) throw new PermanentFailure("the e-mail key or sender is not set");
    const link = await createWelcomeLink(ctx, tenant, customer.id);
    const content = renderWelcome({ locale: customer.language_pref ?? tenant.config.locale, brand: tenant.config.brand_name ?? tenant.shop, name: customer.first_name, link });
    try {
      const answer = await ctx.email.send({ apiKey, idempotencyKey: `${item.eventId}:email`, about: { shop: tenant.shop, event_id: item.eventId } }, { from, to: customer.email, ...content });
      return { httpStatus: answer.status };
    } catch (error) {
      if (isSentAlready(error)) return { httpStatus: 409, skipped: "sent at an earlier attempt whose answer was lost" };
      throw error;
    }
  },
};
