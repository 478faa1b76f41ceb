// `Idempotency-Key`: a request is done once and answered again (DECISIONS 11). A key belongs to a
// caller and an operation.
//
//   absent -> running (a lease) -> done (the answer) -> absent after a day
//
// The answer is stored in the transaction of what it answers, under the lease: a process that dies
// before leaves nothing done, one that dies after leaves the answer, and one that was too slow for
// its lease undoes its work.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database/database.ts";
import { AppError, isAppError, type ErrorCode } from "../../runtime/errors.ts";
import {
  compareAndSetKey,
  deleteKeyIfHeld,
  findKey,
  putKeyIfAbsent,
} from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import type { Person } from "../identity/account.ts";
import { isAccessRefusal } from "../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

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
const RETRY_AFTER = { "Retry-After": "1" };
const UPDATE_TTL =
  "UPDATE kv SET expires_at = clock_timestamp() + make_interval(secs => $3::float8) WHERE shop = $1 AND key = $2";

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
  if (!(await putKeyIfAbsent(sql, name, mine, TTL_SECONDS.idempotentRun))) {
    const known = (await findKey<Entry>(sql, name))?.value;
    if (known && known.body !== mine.body) throw new AppError("idempotency_conflict");
    if (known?.state !== "done")
      throw new AppError("idempotency_in_flight", { headers: RETRY_AFTER });
    if ("refusal" in known) throw new AppError(known.refusal.code, known.refusal);
    return { answer: JSON.parse(known.answer) as T, isReplayed: true };
  }
  const keep = async (within: TenantSql, done: Done) => {
    const held = await findKey<Entry>(within, name);
    const isMine =
      held?.value.run === mine.run &&
      (await compareAndSetKey(within, name, held.version, { ...mine, state: "done", ...done }));
    if (!isMine) throw new AppError("idempotency_in_flight", { headers: RETRY_AFTER });
    await within(UPDATE_TTL, [name, TTL_SECONDS.idempotent]);
  };
  try {
    return {
      answer: await run((within, answer) => keep(within, { answer: JSON.stringify(answer) })),
      isReplayed: false,
    };
  } catch (error) {
    // Failures of ours and temporary ones may be repeated, as may requests of callers without access; the
    // caller's errors are stored as the response.
    if (
      isAppError(error) &&
      error.status < 500 &&
      error.status !== 401 &&
      !isAccessRefusal(error) &&
      error.code !== "idempotency_in_flight"
    )
      await dataOf(ctx, tenant).transaction((within) =>
        keep(within, { refusal: toRefusal(error) }),
      );
    else await deleteKeyIfHeld(sql, name, mine);
    throw error;
  }
}

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
