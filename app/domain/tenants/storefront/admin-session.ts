// Calls to the storefront's Admin API for a tenant: a fresh token, one forced refresh after a 401, and
// waiting when throttled.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import type { GraphqlAnswer } from "../../../integrations/storefront.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { ensureStorefrontToken } from "./access-token.ts";
import { noteWithheld, takeData } from "./withheld-data.ts";

const MAX_THROTTLED = 6;
const MAX_WAIT_MS = 20_000;
const FALLBACK_WAIT_MS = 2_000;

/**
 * Returns the data of one GraphQL call; fields that the platform withholds are absent from it, never
 * null. Throws OutboundError for errors that time or an operator can resolve, `not_installed` when
 * only a new install helps. The caller checks `userErrors`: see
 * `requireNoUserErrors`.
 */
export async function callStorefront<T>(
  ctx: Ctx,
  shop: string,
  call: { document: string; variables?: Record<string, unknown>; version?: string },
): Promise<T> {
  let isRetriedWithNewToken = false;
  for (let throttled = 0; ;) {
    const token = await ensureStorefrontToken(ctx, shop, { force: false });
    let answer: GraphqlAnswer<T>;
    try {
      answer = await ctx.storefront.graphql<T>(shop, token.accessToken, call);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.status === 401 && !isRetriedWithNewToken) {
        isRetriedWithNewToken = true;
        await ensureStorefrontToken(ctx, shop, { force: true, seen: token.generation });
        continue;
      }
      if (error.status === 403 && /non-expiring access tokens/i.test(error.body ?? ""))
        throw new AppError("not_installed", {
          message:
            "The storefront no longer accepts non-expiring tokens. Install the app again to obtain an expiring one.",
        });
      throw error;
    }
    if (
      answer.errors.some((error) => error.extensions?.code === "THROTTLED") &&
      throttled < MAX_THROTTLED
    ) {
      throttled += 1;
      await delay(throttleWait(answer));
      continue;
    }
    await noteWithheld(ctx, shop, answer);
    const data = takeData(answer);
    if (data === null)
      throw new OutboundError("storefront", "malformed", {
        status: answer.errors.some((error) => error.extensions?.code === "THROTTLED") ? 429 : 422,
        message: `the storefront refused the call: ${answer.errors
          .map((error) => error.message)
          .join("; ")
          .slice(0, 500)}`,
      });
    return data;
  }
}

/** The time until the bucket has the points that the call requests. */
function throttleWait({ throttle }: GraphqlAnswer<unknown>): number {
  if (!throttle || throttle.restorePerSecond <= 0) return FALLBACK_WAIT_MS;
  return Math.min(
    MAX_WAIT_MS,
    Math.max(100, ((throttle.requested - throttle.available) / throttle.restorePerSecond) * 1_000),
  );
}

export type UserError = { field?: string[] | null; message: string; code?: string | null };

/** A mutation that was rejected with user errors: retrying does not help. */
export function requireNoUserErrors(
  mutation: string,
  errors: readonly UserError[] | undefined,
): void {
  if (errors && errors.length > 0)
    throw new OutboundError("storefront", "status", {
      status: 422,
      message: `${mutation}: ${errors
        .map((error) => error.message)
        .join("; ")
        .slice(0, 500)}`,
    });
}
