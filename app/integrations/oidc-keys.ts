// The signing keys of an OpenID Connect provider, fetched again when it has replaced them.
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey } from "jose";
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";

/** The time for each call to a provider. */
export const OIDC_TIMEOUT_MS = 6_000;
/** Unknown keys and failing signatures make us fetch the keys again: so often in a row, then once in a pause. */
const KEYS_RENEWALS = 5;
const KEYS_PAUSE_MS = 30_000;
/** A check that began this long after the keys arrived may still have used the older ones. */
const KEYS_SETTLE_MS = 1_000;
const KEYS_MAX_AGE_MS = 10 * 60_000;

export type KeySet = {
  set: ReturnType<typeof createRemoteJWKSet>;
  /** When the provider's last answer came. */
  answeredAt(): number;
  /** Each renewal, also one in vain, moves this by a pause, five pauses ahead at most. */
  pausedUntil: number;
};

export function createKeySet(
  outbound: Outbound,
  { system, url, isTenantAddress }: { system: string; url: string; isTenantAddress: boolean },
): KeySet {
  let answeredAt = 0;
  const set = createRemoteJWKSet(new URL(url), {
    // Its own pause begins with any fetch, so that a key that is replaced right after one would be unknown.
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: KEYS_MAX_AGE_MS,
    [customFetch]: async (keysUrl: string) => {
      const answer = await outbound.call({
        system,
        url: keysUrl,
        timeoutMs: OIDC_TIMEOUT_MS,
        isTenantAddress,
        about: { call: "keys" },
      });
      answeredAt = Date.now();
      // Parsed here so that an unreadable key set is the provider's error, not an invalid token.
      return Response.json(parseAnswer(system, answer));
    },
  });
  return { set, answeredAt: () => answeredAt, pausedUntil: 0 };
}

/** Again with newer keys where a key is unknown or a signature fails, and the provider may have newer ones. */
export async function verifyWith<T>(
  keys: KeySet,
  verify: (keys: JWTVerifyGetKey) => Promise<T>,
): Promise<T> {
  const startedAt = Date.now();
  try {
    return await verify(keys.set);
  } catch (error) {
    const isOfOtherKeys =
      error instanceof errors.JWKSNoMatchingKey ||
      error instanceof errors.JWSSignatureVerificationFailed;
    if (!isOfOtherKeys) throw error;
    const isOlder = keys.answeredAt() < startedAt;
    if (keys.set.reloading || (isOlder && takeRenewal(keys))) await keys.set.reload();
    // Newer keys may have come during the check, or while this one was about to take the older ones.
    else if (keys.answeredAt() < startedAt - KEYS_SETTLE_MS) throw error;
    return verify(keys.set);
  }
}

function takeRenewal(keys: KeySet): boolean {
  const now = Date.now();
  const pausedUntil = Math.max(keys.pausedUntil, now) + KEYS_PAUSE_MS;
  if (pausedUntil - now > KEYS_RENEWALS * KEYS_PAUSE_MS) return false;
  keys.pausedUntil = pausedUntil;
  return true;
}
