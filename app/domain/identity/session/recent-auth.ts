// Actions that a stolen session must not be enough for: they need the password, or a sign-in of the
// last 24 hours.
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import type { Session } from "./sessions.ts";

const RECENT_SECONDS = 86_400;

/** Throws `reauth_required` when the session's sign-in is older than 24 hours. */
export function requireRecentAuth(ctx: Ctx, { claims }: Session): void {
  if (ctx.clock.now().getTime() / 1_000 - claims.iat > RECENT_SECONDS)
    throw new AppError("reauth_required");
}
