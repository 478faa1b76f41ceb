// Channel `retail_analytics_b`: the same record as JSON, to the partner's API.
import { isListedOrConfigured, PermanentFailure, type Channel } from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import { isNothing, nothingToSend, skipOf } from "../nothing-to-send.ts";
import { buildRetailRecord, RETAIL_CONSENT } from "./records.ts";

const ENDPOINT = "retail_analytics_b_url";

export const retailAnalyticsBChannel: Channel = {
  name: "retail_analytics_b",
  needs: ["retail_analytics_b_url"],
  credentialsKey: "retail_analytics_b_token",
  marketing: true,
  requiresConsent: RETAIL_CONSENT,
  isDestination: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, retailAnalyticsBChannel),
  async transform(ctx, tenant, item) {
    if (!tenant.config.retail_analytics_b_url)
      throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("retail_analytics_b_url"));
    const record = await buildRetailRecord(ctx, tenant, item);
    if (!record)
      return nothingToSend(ENDPOINT, "nothing to measure: no address to hash, or no product");
    return {
      transformed_payload: { ...record },
      delivery_config: {
        method: "POST",
        endpoint: ENDPOINT,
        credentials_key: "retail_analytics_b_token",
      },
    };
  },
  async deliver(ctx, tenant, item, message) {
    const { retail_analytics_b_url: url, retail_analytics_b_token: token } = tenant.config;
    if (!url) throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("retail_analytics_b_url"));
    if (isNothing(message)) return skipOf(message);
    const answer = await ctx.retailAnalyticsB.post(
      {
        url,
        token,
        idempotencyKey: `${item.eventId}:retail_analytics_b`,
        about: { shop: tenant.shop, event_id: item.eventId },
      },
      message.transformed_payload,
    );
    return { httpStatus: answer.status };
  },
};
