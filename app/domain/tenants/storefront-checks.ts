// The two checks an operator runs on a store's connection.
import type { Ctx } from "../../context.server.ts";
import { AppError, isAppError, OutboundError } from "../../runtime/errors.ts";
import { ensureStorefrontToken } from "./storefront-token.ts";

/** @returns when the new token expires; null for a token that cannot be refreshed because it never expires. */
export async function forceRefresh(ctx: Ctx, shop: string): Promise<string | null> {
  try {
    const { expiresAt } = await ensureStorefrontToken(ctx, shop, { force: true });
    return expiresAt?.toISOString() ?? null;
  } catch (error) {
    if (isAppError(error)) throw new AppError("token_refresh_failed", { message: error.message });
    if (error instanceof OutboundError) throw new AppError("token_refresh_failed", { message: `${error.message}. The stored token is kept; try again.` });
    throw error;
  }
}

/** `status` is what the storefront answered; `shop` is its name for itself. */
export async function testStorefront(ctx: Ctx, shop: string): Promise<{ ok: boolean; status: number; shop: string }> {
  const { accessToken } = await ensureStorefrontToken(ctx, shop);
  const { status } = await ctx.storefront.shop(shop, accessToken);
  return { ok: status === 200, status, shop };
}
