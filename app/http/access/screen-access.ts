// Records an access of the store's staff: who is proven by the session token, where by the route.
import type { Ctx } from "../../context.server.ts";
import {
  recordAccess,
  type AccessAction,
  type RecordedAccess,
} from "../../domain/compliance/access-log/record-access.ts";
import { findTenant } from "../../domain/tenants/tenant.ts";
import { placeOf } from "./place.ts";

type ScreenAccess = {
  action: AccessAction;
  /** Without it the access is one of the whole store: a list or a file. */
  userIds?: readonly number[];
  count?: number;
  /** The screen's action. */
  part?: string;
  /** Also when the same view was recorded a moment ago. */
  isEveryTime?: boolean;
};
/** Called when the answer is known. Never throws. */
export type RecordScreenAccess = (access: ScreenAccess) => Promise<RecordedAccess>;

type Screen = {
  ctx: Ctx;
  shop: string;
  /** The session token's `sub`. */
  staffId: string | null;
  request: Request;
  params: Readonly<Record<string, string | undefined>>;
  requestId: string;
};

const NOTHING: RecordedAccess = { setCount: async () => {} };

export function screenAccess(screen: Screen): RecordScreenAccess {
  const { ctx, shop, staffId, request, params, requestId } = screen;
  return async ({ action, userIds = [], count = null, part, isEveryTime = false }) => {
    const path = placeOf(new URL(request.url).pathname, params);
    const tenant = await findTenant(ctx, shop).catch((error: unknown) => {
      ctx.log.error("access.not_recorded", error, { shop, action, place: path });
      return null;
    });
    // A store without a record has no customers.
    if (!tenant) return NOTHING;
    return recordAccess(ctx, tenant, {
      actor: { kind: "staff", id: staffId },
      action,
      userIds,
      count,
      place: part === undefined ? path : `${path} ${part}`,
      requestId,
      isEveryTime,
    });
  };
}
