// Records an access of the store's staff: who is proven by the session token, where by the route.
import type { Ctx } from "../../context.server.ts";
import {
  recordAccess,
  type AccessAction,
  type RecordedAccess,
} from "../../domain/compliance/access-log/record-access.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { routePatternOf } from "./route-pattern.ts";

type ScreenAccess = {
  action: AccessAction;
  /** Without ids the access is to the whole store: a list or a file. */
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
  /** Null for a store without a record, which has no customers. */
  tenant: Tenant | null;
  /** The session token's `sub`. */
  staffId: string | null;
  request: Request;
  params: Readonly<Record<string, string | undefined>>;
  requestId: string;
};

const NOTHING: RecordedAccess = { setCount: async () => {} };

export function screenAccess(screen: Screen): RecordScreenAccess {
  const { ctx, tenant, staffId, request, params, requestId } = screen;
  return async ({ action, userIds = [], count = null, part, isEveryTime = false }) => {
    if (!tenant) return NOTHING;
    const path = routePatternOf(new URL(request.url).pathname, params);
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
