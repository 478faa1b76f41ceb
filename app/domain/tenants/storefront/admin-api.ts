// Calls to the Admin API for a tenant: a fresh token, one forced refresh after a 401, and
// waiting when throttled.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import {
  toGraphqlError,
  type GraphqlAnswer,
} from "../../../integrations/storefront/graphql-answer.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { ensureStorefrontToken, noteRefusedToken } from "./access-token.ts";
import { noteVersion } from "./api-version.ts";
import { noteWithheld, takeData } from "./withheld-data.ts";

const MAX_THROTTLED = 6;
/** How long a call waits behind other throttled calls of the store. */
const MAX_QUEUED_MS = 30_000;
const MAX_WAIT_MS = 20_000;
const FALLBACK_WAIT_MS = 2_000;

type AdminCall = {
  document: string;
  variables?: Record<string, unknown>;
  version?: string;
  /** An answer with neither data nor errors counts as "there is none": the writes that follow would fail too. */
  isLookUp?: true;
  /**
   * Awaited right before each attempt, and after one that the storefront answered without doing it: a
   * call that must not be repeated keeps by this whether it may have been done.
   */
  onAttempt?(state: "sending" | "refused"): Promise<void>;
};

/**
 * Returns the data of one GraphQL call; fields that the platform withholds are absent from it, never
 * null. A page that costs too much comes smaller. Throws OutboundError for errors that time or an
 * operator can resolve, `not_installed` when only a new install helps. The caller checks
 * `userErrors`: see `requireNoUserErrors`.
 */
export async function callAdminApi<T>(ctx: Ctx, shop: string, call: AdminCall): Promise<T> {
  const answer = await callWhenNotThrottled<T>(ctx, shop, call);
  const first = call.variables?.first;
  if (has(answer, "MAX_COST_EXCEEDED") && typeof first === "number" && first > 1) {
    const smaller = { ...call.variables, first: Math.floor(first / 2) };
    return callAdminApi(ctx, shop, { ...call, variables: smaller });
  }
  await noteWithheld(ctx, shop, answer);
  const data = takeData(answer);
  if (data !== null) return data;
  if (call.isLookUp && answer.errors.length === 0) return {} as T;
  throw toGraphqlError("the storefront", answer.errors);
}

const has = ({ errors }: GraphqlAnswer<unknown>, code: string): boolean =>
  errors.some((error) => error.extensions?.code === code);

/**
 * Asks again while the store's bucket has too few points, within limits. A call that begins while
 * others of the store wait for points waits behind them.
 */
async function callWhenNotThrottled<T>(
  ctx: Ctx,
  shop: string,
  call: AdminCall,
): Promise<GraphqlAnswer<T>> {
  const deadline = performance.now() + MAX_QUEUED_MS;
  const early = turnsOf(ctx).has(shop) ? null : await ask<T>(ctx, shop, call);
  if (early && !has(early, "THROTTLED")) return early;
  return inTurn(ctx, shop, async () => {
    let answer = early ?? (await ask<T>(ctx, shop, call));
    for (let tries = 0; has(answer, "THROTTLED") && tries < MAX_THROTTLED; tries += 1) {
      if (performance.now() > deadline) break;
      await delay(throttleWait(answer));
      answer = await ask<T>(ctx, shop, call);
    }
    return answer;
  });
}

type Turns = Map<string, Promise<unknown>>;
const turns = new WeakMap<Ctx, Turns>();

function turnsOf(ctx: Ctx): Turns {
  const known = turns.get(ctx) ?? new Map<string, Promise<unknown>>();
  turns.set(ctx, known);
  return known;
}

/** The throttled calls of a store one after the other: at once they would take each other's points. */
async function inTurn<T>(ctx: Ctx, shop: string, work: () => Promise<T>): Promise<T> {
  const ofStores = turnsOf(ctx);
  const result = (ofStores.get(shop) ?? Promise.resolve()).then(work, work);
  ofStores.set(shop, result);
  try {
    return await result;
  } finally {
    if (ofStores.get(shop) === result) ofStores.delete(shop);
  }
}

async function ask<T>(ctx: Ctx, shop: string, call: AdminCall): Promise<GraphqlAnswer<T>> {
  for (let isRetried = false; ; isRetried = true) {
    const token = await ensureStorefrontToken(ctx, shop, { force: false });
    const { onAttempt, isLookUp: _, ...asked } = call;
    await onAttempt?.("sending");
    try {
      const answer = await ctx.storefront.graphql<T>(shop, token.accessToken, asked);
      noteVersion(ctx, answer);
      if (has(answer, "THROTTLED")) await onAttempt?.("refused");
      return answer;
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.status !== undefined) await onAttempt?.("refused");
      if (error.status === 403 && /non-expiring access tokens/i.test(error.body ?? "")) {
        await noteRefusedToken(ctx, shop, token);
        throw new AppError("not_installed", {
          message:
            "The storefront no longer accepts non-expiring tokens. Install the app again to obtain an expiring one.",
        });
      }
      if (error.status === 401 && isRetried) await noteRefusedToken(ctx, shop, token);
      if (error.status !== 401 || isRetried) throw error;
      await ensureStorefrontToken(ctx, shop, { force: true, generation: token.generation });
    }
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

const MAX_ERROR_CHARACTERS = 500;

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
        .slice(0, MAX_ERROR_CHARACTERS)}`,
    });
}
