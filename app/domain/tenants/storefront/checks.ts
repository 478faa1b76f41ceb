// The two checks that an operator runs on a store's connection.
import type { Ctx } from "../../../context.server.ts";
import { AppError, isAppError, OutboundError } from "../../../runtime/errors.ts";
import { ensureStorefrontToken } from "./access-token.ts";
import { parseAnswer } from "../../../runtime/outbound/answers.ts";
import type { OutboundAnswer } from "../../../runtime/outbound/outbound.ts";
import { getTenant } from "../tenant.ts";

/**
 * Returns when the new token expires. Throws `token_refresh_failed` with the remedy in its message.
 */
export async function forceRefresh(ctx: Ctx, shop: string): Promise<string | null> {
  const {
    storefront_admin_token: token,
    storefront_refresh_token: refreshToken,
    storefront_token_expires_at: expiresAt,
  } = (await getTenant(ctx, shop)).config;
  // The usual check continues with such a token, but a forced refresh must report that none is possible.
  if (token && !(refreshToken && expiresAt))
    throw new AppError("token_refresh_failed", {
      message:
        "No refresh token is stored, or not until when the token is good: the install did not ask for an expiring one. Install the app again from the store admin.",
    });
  try {
    const { expiresAt } = await ensureStorefrontToken(ctx, shop, { force: true });
    return expiresAt?.toISOString() ?? null;
  } catch (error) {
    if (isAppError(error)) throw new AppError("token_refresh_failed", { message: error.message });
    if (error instanceof OutboundError)
      throw new AppError("token_refresh_failed", {
        message: `${error.message}. The stored token is kept; try again.`,
      });
    throw error;
  }
}

/** The storefront's answer to a harmless call, whatever its status. */
export async function askShop(ctx: Ctx, shop: string): Promise<OutboundAnswer> {
  const { accessToken } = await ensureStorefrontToken(ctx, shop);
  return ctx.storefront.shop(shop, accessToken);
}

/** `status` is the storefront's status; `ok` says that its document is whole, too. */
export async function testStorefront(
  ctx: Ctx,
  shop: string,
): Promise<{ ok: boolean; status: number; shop: string }> {
  const answer = await askShop(ctx, shop);
  return { ok: answer.status === 200 && isWhole(answer), status: answer.status, shop };
}

function isWhole(answer: OutboundAnswer): boolean {
  try {
    parseAnswer("storefront", answer);
    return true;
  } catch {
    return false;
  }
}
