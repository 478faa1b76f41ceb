// Writes consent changes: flags, log rows and queue rows in one transaction. Concurrent submissions
// of one tenant share it, because each needs the tenant's chain head: one COMMIT for all of them,
// in order of arrival.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import { AppError } from "../../../runtime/errors.ts";
import { consentsRecorded } from "../../../runtime/telemetry/metrics.ts";
import { activeTraceParent } from "../../../runtime/telemetry/tracing.ts";
import {
  applyTagRules,
  lockCustomers,
  lockTaggedCustomers,
  type TaggedCustomer,
} from "../../tags/system-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { CONSENT_TYPES, consentColumn } from "../consent-types.ts";
import { recordConsent } from "../record-consent.ts";
import { enqueueConsent } from "./enqueue-consent.ts";
import {
  readKnown,
  usersOf,
  type KnownPerson,
  type Subject,
  type SubjectState,
} from "./known-decisions.ts";
import {
  planBatch,
  type ConsentChange,
  type Recorded,
  type Write,
  type Written,
} from "./plan-batch.ts";

export type { KnownPerson, Recorded, Subject, Written };

const MAX_BATCH = 100;
// Keyed by the tenant object, not by its name: a store that moved or enabled a channel gets a new
// writer.
const writers = new WeakMap<Tenant, GroupCommit<Write, Written | null>>();

type SubmittedConsents = Omit<Write, "traceParent">;

/**
 * Resolves after the COMMIT, with the added rows and the ignored grants. Throws `unauthorized` when the person
 * was deleted, or the session ended, meanwhile.
 */
export async function writeConsents(
  ctx: Ctx,
  tenant: Tenant,
  { subject, submission, at }: SubmittedConsents,
): Promise<Written> {
  const writer =
    writers.get(tenant) ??
    createGroupCommit<Write, Written | null>(
      (batch) => dataOf(ctx, tenant).transaction((sql) => writeBatch(ctx, tenant, sql, batch)),
      { maxItems: MAX_BATCH, flushers: 1 },
    );
  writers.set(tenant, writer);
  return requireWritten(
    await writer.add({ subject, submission, at, traceParent: activeTraceParent() }),
  );
}

/**
 * The same inside the caller's transaction, for changes that must commit together with the consent.
 */
export async function writeConsentsWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { subject, submission, at }: SubmittedConsents,
): Promise<Written> {
  const [written = null] = await writeBatch(ctx, tenant, sql, [
    { subject, submission, at, traceParent: activeTraceParent() },
  ]);
  return requireWritten(written);
}

function requireWritten(written: Written | null): Written {
  if (!written) throw new AppError("unauthorized");
  return written;
}

async function writeBatch(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  all: readonly Write[],
): Promise<(Written | null)[]> {
  // Before claims and head: a transaction that locks a customer and the log locks the customer first.
  const present = await lockCustomers(sql, usersOf(all));
  // Skips people who were deleted, and sessions that ended, while this batch waited for the lock.
  const isWritable = ({ subject }: Write) =>
    !("userId" in subject) ||
    (present.has(subject.userId) && isSameSession(subject, present.get(subject.userId) ?? null));
  const batch = all.filter(isWritable);
  const customers = await lockTaggedCustomers(sql, usersOf(batch));
  const { known, head } = await readKnown(sql, batch);
  const { entries, results, changes } = planBatch(batch, known, head.now);
  await recordConsent(sql, tenant, entries, head);
  await updateFlags(sql, changes);
  await rememberClients(sql, batch);
  await applyTagRules(
    ctx,
    tenant,
    sql,
    customers.map((customer) => withConsents(customer, known)),
    { announce: "every_system" },
  );
  for (const [userId, change] of changes) await enqueueConsent(ctx, tenant, sql, userId, change);
  for (const { action } of entries) consentsRecorded.inc({ action });
  return all.map((write) => results.get(write) ?? null);
}

const isSameSession = ({ sessionsValidAfter: known }: KnownPerson, now: Date | null): boolean =>
  known === undefined || known?.getTime() === now?.getTime();

/** The customer's facts with the consents of this batch. */
function withConsents(
  customer: TaggedCustomer,
  known: ReadonlyMap<string, SubjectState>,
): TaggedCustomer {
  const { flags, last } = known.get(`u${customer.id}`) as SubjectState;
  const marketing = (last.get("marketing") ?? null) as TaggedCustomer["facts"]["marketing"];
  return {
    ...customer,
    facts: {
      ...customer.facts,
      marketing,
      ...(flags && { tos: flags.tos, privacy: flags.privacy, cookie: flags.cookie }),
    },
  };
}

async function updateFlags(
  sql: TenantSql,
  changes: ReadonlyMap<number, ConsentChange>,
): Promise<void> {
  if (changes.size === 0) return;
  const rows = [...changes].map(([userId, change]) => ({ userId, ...change }));
  const columns = CONSENT_TYPES.map(consentColumn);
  await sql(
    `INSERT INTO user_claims (shop, user_id, consent_version, ${columns.join(", ")})
     SELECT $1, * FROM unnest($2::int[],
       $3::text[], ${columns.map((_, index) => `$${index + 4}::bool[]`).join(", ")})
     ON CONFLICT (shop, user_id) DO UPDATE
       SET ${columns.map((column) => `${column} = excluded.${column}`).join(", ")},
       consent_version = coalesce(excluded.consent_version, user_claims.consent_version), updated_at = now()`,
    [
      rows.map(({ userId }) => userId),
      rows.map(({ version }) => version),
      ...CONSENT_TYPES.map((type) => rows.map(({ flags }) => flags[type])),
    ],
  );
}

/**
 * The analytics product's own browser id, first one wins: one person's events share one client id.
 */
async function rememberClients(sql: TenantSql, batch: readonly Write[]): Promise<void> {
  for (const { subject, submission } of batch)
    if ("userId" in subject && submission.gaClientId)
      await sql(
        `INSERT INTO user_extras (shop, user_id, ga_client_id) VALUES ($1, $2, $3)
          ON CONFLICT (shop, user_id) DO UPDATE
          SET ga_client_id = coalesce(user_extras.ga_client_id, excluded.ga_client_id)`,
        [subject.userId, submission.gaClientId],
      );
}
