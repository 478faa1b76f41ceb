// The response of the platform's token endpoint. shopify.dev "About offline access tokens".
import { OutboundError } from "../../runtime/errors.ts";
import { parseAnswer } from "../../runtime/outbound/answers.ts";
import type { OutboundAnswer } from "../../runtime/outbound/outbound.ts";

const SYSTEM = "storefront";

export type TokenGrant = {
  accessToken: string;
  refreshToken: string | null;
  /** Lifetime of the access token in seconds; null for a token that never expires. */
  expiresIn: number | null;
  /** Lifetime of the refresh token in seconds; null when the platform does not state it. */
  refreshExpiresIn?: number | null;
  /** Absent when the platform does not state them. */
  scopes?: string[];
};

/** Seconds; a date beyond ten years may be none. */
const MAX_LIFETIME = 10 * 366 * 86_400;
const isLifetime = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= MAX_LIFETIME;

const isToken = (value: unknown): value is string => typeof value === "string" && value !== "";

/**
 * Throws an OutboundError `malformed` for a response that is incomplete. An install may grant a token
 * that never expires; the response to a refresh is always a pair with a lifetime.
 */
export function toTokenGrant(
  answer: OutboundAnswer,
  { isRefresh }: { isRefresh: boolean },
): TokenGrant {
  const body = parseAnswer<{
    access_token?: unknown;
    refresh_token?: unknown;
    expires_in?: unknown;
    refresh_token_expires_in?: unknown;
    scope?: unknown;
  }>(SYSTEM, answer);
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
  // Saving a refresh token without a lifetime, or the reverse, would end refreshing for good:
  // keep the stored pair instead.
  const isPair = isToken(refreshToken) && isLifetime(expiresIn);
  const isHalf = !isPair && (isRefresh || isToken(refreshToken) || isLifetime(expiresIn));
  if (!isToken(accessToken) || isHalf) {
    throw new OutboundError(SYSTEM, "malformed", {
      message: "the storefront's token response is incomplete",
    });
  }
  return {
    accessToken,
    refreshToken: isToken(refreshToken) ? refreshToken : null,
    expiresIn: isLifetime(expiresIn) ? expiresIn : null,
    refreshExpiresIn: isLifetime(body.refresh_token_expires_in)
      ? body.refresh_token_expires_in
      : null,
    ...(typeof body.scope === "string" && { scopes: body.scope.split(",").filter(Boolean) }),
  };
}
