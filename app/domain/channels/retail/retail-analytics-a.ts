// Channel `retail_analytics_a`: uploads one CSV file per event, `{event_id}.csv`, below the store's
// address.
import { hash } from "node:crypto";
import type { DropAccess } from "../../../integrations/retail-analytics-a.ts";
import {
  isListedOrConfigured,
  PermanentFailure,
  type Channel,
  type DeliveryMessage,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { isNothing, nothingToSend, skipOf } from "../nothing-to-send.ts";
import { toCsv, toOneRow } from "./csv.ts";
import { buildRetailRecord, RETAIL_CONSENT } from "./records.ts";

/**
 * The name depends on the event only, so that a repeat replaces the file. It contains only
 * characters that are safe in a path.
 */
const fileNameOf = (eventId: string) =>
  `${/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(eventId) ? eventId : hash("sha256", eventId)}.csv`;

/**
 * Our own message has its file in `csv`. A remote backend's document may have it in its only field, or be
 * the row's fields themselves: it is written as it is.
 */
function fileOf(document: DeliveryMessage["transformed_payload"]): string {
  const [only, ...more] = Object.values(document);
  const file = document["csv"] ?? (more.length === 0 ? only : undefined);
  return typeof file === "string" && file !== "" ? file : toOneRow(document);
}

/**
 * The address for the store's files, and the store's own keys of a bucket. Throws PermanentFailure.
 */
function requireDrop({ config }: Tenant): Pick<DropAccess, "url" | "keys"> {
  const {
    retail_analytics_a_url: url,
    retail_analytics_a_access_key_id: accessKeyId,
    retail_analytics_a_secret_access_key: secretAccessKey,
  } = config;
  if (!url) throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("retail_analytics_a_url"));
  if (!url.startsWith("s3:")) return { url, keys: null };
  if (!accessKeyId)
    throw new PermanentFailure(OWN_FAILURES.fieldNotSet.text("retail_analytics_a_access_key_id"));
  if (!secretAccessKey)
    throw new PermanentFailure(
      OWN_FAILURES.fieldNotSet.text("retail_analytics_a_secret_access_key"),
    );
  return { url, keys: { accessKeyId, secretAccessKey } };
}

export const retailAnalyticsAChannel: Channel = {
  name: "retail_analytics_a",
  needs: ["retail_analytics_a_url"],
  credentialsKey: null,
  marketing: true,
  requiresConsent: RETAIL_CONSENT,
  isDestination: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, retailAnalyticsAChannel),
  async transform(ctx, tenant, item) {
    requireDrop(tenant);
    // Never logs the whole address: its query string may grant access to the folder.
    const endpoint = fileNameOf(item.eventId);
    const record = await buildRetailRecord(ctx, tenant, item);
    if (!record)
      return nothingToSend(endpoint, "nothing to measure: no address to hash, or no product");
    return {
      transformed_payload: { csv: toCsv(record) },
      delivery_config: { method: "PUT", endpoint, credentials_key: null },
    };
  },
  async deliver(ctx, tenant, item, message) {
    const { url, keys } = requireDrop(tenant);
    if (isNothing(message)) return skipOf(message);
    const { status } = await ctx.retailAnalyticsA.drop(
      { url, keys, shop: tenant.shop, about: { shop: tenant.shop, event_id: item.eventId } },
      fileNameOf(item.eventId),
      fileOf(message.transformed_payload),
    );
    return { httpStatus: status };
  },
};
