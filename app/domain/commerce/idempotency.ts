// `Idempotency-Key`: a request is done once and answered again (DECISIONS 11). A key belongs to a
// caller and an operation.
//
//   absent -> running (a lease) -> done (the answer) -> absent after a day
//
// The answer is stored in the transaction of what it answers, under the lease: a process that dies
// before leaves nothing done, one that dies after leaves the answer, and one that was too slow for
// its lease undoes its work.
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { AppError, isAppError, type ErrorCode } from "../../runtime/errors.ts";
import {
  compareAndSetKey,
  deleteKeyIfHeld,
  findKey,
  putKeyIfAbsent,
  renewKeyIfHeld,
} from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS, type Key } from "../../runtime/database/kv-keys.ts";
import { isStoreMoving } from "../../runtime/database/postgres-errors.ts";
import type { Person } from "../identity/account.ts";
import { isAccessRefusal } from "../identity/session/caller-access.ts";
import { writeWhileMoving } from "../tenants/moves/write-while-moving.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";

export type Keep = (sql: TenantSql, answer: object) => Promise<void>;

/** A caller without a sign-in: what tells it from others. */
export type Anonymous = { anonymous: string };

/** `operation` names the action and its resource; `body` is the parsed request. */
export type Attempt = {
  key: string | undefined;
  person: Person | Anonymous;
  operation: string;
  body: unknown;
};

type StoredError = {
  code: ErrorCode;
  message: string;
  fields?: Record<string, string>;
  details: Record<string, unknown>;
};
/** The response as text: the database would reorder its members. */
type Done = { answer: string } | { refusal: StoredError };
/** `user_id` lets a redaction find it; null: the caller was not signed in. */
type Entry = { user_id: number | null; body: string; run: string } & (
  { state: "running" } | ({ state: "done" } & Done)
);

const SHAPE = /^[\x20-\x7e]{1,255}$/;

/** Longer than a cart that is given up plus the draft order in its place. */
const MAX_WAIT_MS = 8_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 400;

/**
 * Runs once per key. `run` calls `keep` with its response as the last write of its transaction. Throws
 * `idempotency_conflict`, `idempotency_in_flight`, and the first run's rejection again.
 */
export async function withIdempotencyKey<T extends object>(
  ctx: Ctx,
  tenant: Tenant,
  { key, person, operation, body }: Attempt,
  run: (keep: Keep) => Promise<T>,
): Promise<{ answer: T; isReplayed: boolean }> {
  if (key === undefined) return { answer: await run(async () => {}), isReplayed: false };
  if (!SHAPE.test(key))
    throw new AppError("invalid_request", {
      fields: { "Idempotency-Key": "must be 1 to 255 printable characters" },
    });
  const { sql } = dataOf(ctx, tenant);
  const name = KEYS.idempotent(hash("sha256", [...callerOf(person), operation, key].join("\n")));
  const mine: Entry = {
    user_id: "account" in person ? person.account.id : null,
    body: hash("sha256", JSON.stringify(body)),
    run: ctx.random.uuid(),
    state: "running",
  };
  if (!(await putKeyIfAbsent(sql, name, mine, TTL_SECONDS.idempotentRun)))
    return {
      answer: toAnswer<T>(await awaitFirstRun(ctx, sql, name, mine), mine),
      isReplayed: true,
    };
  try {
    const answer = await run((within, response) =>
      settle(within, name, mine, { answer: JSON.stringify(response) }),
    );
    return { answer, isReplayed: false };
  } catch (error) {
    const current = (await findTenant(ctx, tenant.shop)) ?? tenant;
    // An answer that was read in a cell which the store has left does not count.
    const isKept =
      isFinal(error) &&
      current.region === tenant.region &&
      (await keepRefusal(ctx, tenant, name, mine, error));
    if (!isKept) await giveUp(ctx, current, name, mine);
    throw error;
  }
}

/** False, with nothing kept, while the store changes its cell. */
async function keepRefusal(
  ctx: Ctx,
  tenant: Tenant,
  name: Key,
  mine: Entry,
  error: AppError,
): Promise<boolean> {
  const refusal = toRefusal(error);
  try {
    await dataOf(ctx, tenant).transaction((within) => settle(within, name, mine, { refusal }));
    return true;
  } catch (failure) {
    if (!isStoreMoving(failure)) throw failure;
    return false;
  }
}

/** While the store changes its cell, the key can be deleted in neither: that is tried until its lease ends. */
async function giveUp(ctx: Ctx, tenant: Tenant, name: Key, mine: Entry): Promise<void> {
  const remove = (at: Tenant) => deleteKeyIfHeld(dataOf(ctx, at).sql, name, mine);
  try {
    await remove(tenant);
  } catch (error) {
    if (!isStoreMoving(error)) throw error;
    writeWhileMoving(ctx, tenant, remove, TTL_SECONDS.idempotentRun * 1_000).catch(
      (failure: unknown) =>
        ctx.log.warn("idempotency.key_left", {
          shop: tenant.shop,
          reason: (failure as Error).message,
        }),
    );
  }
}

/**
 * The key's entry once its run has ended, or as it is when that takes too long: a repetition that comes
 * early gets the answer too, not an error.
 */
async function awaitFirstRun(
  { stopping }: Ctx,
  sql: TenantSql,
  name: Key,
  mine: Entry,
): Promise<{ value: Entry } | null> {
  const giveUpAt = performance.now() + MAX_WAIT_MS;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const found = await findKey<Entry>(sql, name);
    const isAwaited = found?.value.state === "running" && found.value.body === mine.body;
    if (!isAwaited || stopping.aborted || performance.now() >= giveUpAt) return found;
    await delay(pauseMs);
  }
}

/** The first run's answer, for a request that found its key in use. Throws the first run's error. */
function toAnswer<T>(found: { value: Entry } | null, mine: Entry): T {
  const known = found?.value;
  if (known && known.body !== mine.body) throw new AppError("idempotency_conflict");
  if (known?.state !== "done") throw inFlight();
  if ("refusal" in known) throw new AppError(known.refusal.code, known.refusal);
  return JSON.parse(known.answer) as T;
}

/** Stores the result of the run, unless another run has taken over its lease. */
async function settle(sql: TenantSql, name: Key, mine: Entry, done: Done): Promise<void> {
  const held = await findKey<Entry>(sql, name);
  const entry: Entry = { ...mine, state: "done", ...done };
  const isMine =
    held?.value.run === mine.run &&
    (await compareAndSetKey(sql, name, held.version, entry)) &&
    (await renewKeyIfHeld(sql, name, entry, TTL_SECONDS.idempotent));
  if (!isMine) throw inFlight();
}

const inFlight = () => new AppError("idempotency_in_flight", { headers: { "Retry-After": "1" } });

/**
 * The caller's errors are stored as the response. Failures of ours and temporary ones may be repeated, as may
 * requests of callers without access.
 */
const isFinal = (error: unknown): error is AppError =>
  isAppError(error) &&
  error.status < 500 &&
  error.status !== 401 &&
  !isAccessRefusal(error) &&
  error.code !== "idempotency_in_flight";

const callerOf = (person: Person | Anonymous): (string | number)[] =>
  "account" in person
    ? [person.account.id, person.clientId ?? "session"]
    : ["anonymous", person.anonymous];

const toRefusal = ({ code, message, fields, details }: AppError): StoredError => ({
  code,
  message,
  details,
  ...(fields && { fields }),
});
