// Whether the platform asked to delete an installed store: the merchant is informed that everything
// was kept.
import type { Ctx } from "../../context.server.ts";
import type { Columns, PrivacyRequest } from "../../db.server.ts";
import type { Read } from "../../runtime/database/read-together.ts";
import { storeKey } from "./subject.ts";

/** The notice is shown for at most this long. */
const SHOWN_DAYS = 30;

/** `completed_at`: ISO 8601. */
export type WholeStoreRequest = Columns<PrivacyRequest, "state"> & { completed_at: string };

/**
 * The last request to delete this store. A request about a whole store outlives its rows: the platform
 * keeps it, in the database of the store, under the store's pseudonym.
 */
export const wholeStoreRequestRead = (ctx: Ctx, shop: string): Read<WholeStoreRequest> => ({
  sql: `SELECT state, completed_at FROM privacy_requests
    WHERE shop = $1 AND kind = 'shop_redact' AND subject_hmac = $2
      AND completed_at > clock_timestamp() - make_interval(days => ${SHOWN_DAYS})
    ORDER BY completed_at DESC LIMIT 1`,
  values: [storeKey(ctx, shop)],
  isOfPlatform: true,
});

/** When it was answered by keeping the store; null without a recent one. */
export const toRetainedAt = ([last]: readonly WholeStoreRequest[]): Date | null =>
  last?.state === "retained" ? new Date(last.completed_at) : null;
