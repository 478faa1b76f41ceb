// Channel `profile_platform`: an XDM profile under the SHA-256 of the e-mail and nothing else that is personal; only when
// the tenant enabled it (SPEC "Real-time write matrix").
import { hash } from "node:crypto";
import { HASHED_EMAIL, type ProfileRecord } from "../../integrations/profile-platform.ts";
import { isChannelEnabled, PermanentFailure, type Channel } from "../bus/channel.ts";
import { findItemCustomer, GONE, isNothing, nothingToSend } from "./item-customer.ts";

export const profilePlatformChannel: Channel = {
  name: "profile_platform",
  credentialsKey: "profile_platform_token",
  marketing: true,
  requiresConsent: null,
  isDestination: true,
  // Its own switch outranks a list of channels: no profile leaves a store that did not turn it on.
  isEnabled: (tenant) => tenant.config.profile_platform_enabled && isChannelEnabled(tenant, "profile_platform", Boolean(tenant.config.profile_platform_url)),
  async transform(ctx, item, tenant) {
    const endpoint = tenant.config.profile_platform_url ?? "";
    const customer = await findItemCustomer(ctx, item, tenant);
    if (!customer?.email) return nothingToSend(endpoint);
    const record: ProfileRecord = {
      _id: item.eventId,
      timestamp: ctx.clock.now().toISOString(),
      identityMap: { [HASHED_EMAIL]: [{ id: hash("sha256", customer.email.toLowerCase()), primary: true, authenticatedState: "ambiguous" }] },
      consents: { collect: { val: customer.consents.cookie ? "y" : "n" }, marketing: { email: { val: customer.consents.marketing ? "y" : "n" } } },
    };
    return { transformed_payload: { ...record }, delivery_config: { method: "POST", endpoint, credentials_key: "profile_platform_token" } };
  },
  async deliver(ctx, item, message, tenant) {
    if (isNothing(message)) return { ...GONE, skipped: "no address to hash" };
    const { profile_platform_enabled: isOn, profile_platform_url: url, profile_platform_token: token } = tenant.config;
    if (!isOn || !url) throw new PermanentFailure("the profile platform is not enabled or has no address");
    const answer = await ctx.profilePlatform.ingest({ url, token, about: { shop: tenant.shop, event_id: item.eventId } }, message.transformed_payload as unknown as ProfileRecord);
    return { httpStatus: answer.status };
  },
};
