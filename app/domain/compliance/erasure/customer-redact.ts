// customers/redact: erases the person everywhere. Works in passes, and each can fail at any point:
// what a later pass needs is sealed in the request before anything is erased, and a pass that finds
// nothing ends the work.
//
//   people -> traces -> outside systems -> archive -> search -> nothing left
//     (while a worker holds a row of theirs: another pass)
import type { Ctx } from "../../../context.server.ts";
import type { Database, TenantSql } from "../../../runtime/database/database.ts";
import { isChannelEnabled } from "../../bus/channel.ts";
import { enqueueErased } from "../../customers/customer-erased.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { eraseArchived, eraseCmsItem, eraseProfiles } from "./erase-outside.ts";
import {
  insertTombstones,
  anonymiseAccounts,
  findEvents,
  isInFlight,
  redactReferences,
  type Counts,
} from "./erase-rows.ts";
import { searchTables } from "./erasure-proof.ts";
import { findPeople, isErased, type MatchedAccount } from "../find-people.ts";
import {
  Reschedule,
  finishPrivacyRequest,
  openSubject,
  savePeople,
  saveProgress,
  sealSubject,
  type PrivacyRequest,
} from "../requests/privacy-requests.ts";
import { erasedStep, recordSteps, type StepResult } from "../requests/request-steps.ts";
import { findRows, maskRows, searchFor } from "../personal-values/mask-rows.ts";
import { ownNames } from "../personal-values/own-names.ts";
import { textSearch } from "../personal-values/text-search.ts";
import {
  addressSpellings,
  sentenceSpellings,
  type KnownSubject,
  type Subject,
} from "../subject.ts";

type Progress = { subject: Subject; known: KnownSubject };
type Evidence = {
  passes?: number;
  erased?: Counts;
  cms?: Record<string, string>;
  profiles?: number;
};

const QUEUE_TABLES = [
  "integration_queue",
  "delivery_attempts",
  "delivery_exchanges",
  "webhook_inbox",
  "kv",
];
const ARCHIVE = "archive_objects";
const IN_FLIGHT_MS = 500;
const NEXT_PASS_MS = 1_000;
const MAX_PASSES = 20;
/**
 * Tables that an erasure can change; the others are append-only, or contain the merchant's own
 * texts.
 */
const ERASABLE_TABLES = new Set(["storefront_users", ...QUEUE_TABLES]);

export async function redactCustomer(
  ctx: Ctx,
  database: Database,
  tenant: Tenant,
  request: PrivacyRequest,
): Promise<void> {
  const evidence = { ...request.evidence } as Evidence;
  evidence.passes = (evidence.passes ?? 0) + 1;
  const pass: Pass = { ctx, database, tenant, request, evidence, erased: { ...evidence.erased } };
  const { sql } = dataOf(ctx, tenant);

  const { progress, found } = await eraseAccounts(pass);
  const { known } = progress;
  if (await isInFlight(sql, known)) throw new Reschedule(IN_FLIGHT_MS);
  const { eventIds, queueIds } = await findEvents(ctx, database, tenant.shop, known);
  const search = searchFor(database, tenant, known);
  const named = await findRows(search);
  if (named.isHeld) throw new Reschedule(IN_FLIGHT_MS);
  // What was archived and logged of these events goes, too, and once their rows are masked nothing
  // leads to it.
  known.eventIds = union(eventIds, named.eventIds);
  await savePass(pass, sql, progress);

  let changed = found + (await eraseReferences(pass, known, queueIds));
  changed += count(pass, await maskRows(search, named));
  if (found > 0 || evidence.cms === undefined) await eraseOutside(pass, known);
  changed += await eraseArchive(pass, known);
  await savePass(pass, sql, progress);
  // Rows that arrived meanwhile may have been read before the tombstone existed: only a pass that
  // finds nothing proves the erasure.
  if (changed > 0) throw new Reschedule(NEXT_PASS_MS);
  await prove(pass, known);
}

/** One pass over everything; `erased` counts by table, over all passes. */
type Pass = {
  ctx: Ctx;
  database: Database;
  tenant: Tenant;
  request: PrivacyRequest;
  evidence: Evidence;
  erased: Counts;
};

/** What a later pass needs: the subject is sealed with the counts so far. */
const savePass = (
  { ctx, tenant, request, evidence, erased }: Pass,
  sql: TenantSql,
  progress: Progress,
): Promise<void> =>
  saveProgress(sql, request, sealSubject(ctx, tenant.shop, progress), { ...evidence, erased });

/** Adds to the counts, and returns the sum. */
function count({ erased }: Pass, counts: Counts): number {
  for (const [store, number] of Object.entries(counts))
    erased[store] = (erased[store] ?? 0) + number;
  return Object.values(counts).reduce((sum, number) => sum + number, 0);
}

/** The person's accounts and tombstones, in the transaction that remembers who they are. */
async function eraseAccounts(pass: Pass): Promise<{ progress: Progress; found: number }> {
  const { ctx, tenant, request, erased } = pass;
  return dataOf(ctx, tenant).transaction(async (sql) => {
    const { progress, found } = await findSubject(ctx, tenant, sql, readProgress(ctx, request));
    await insertTombstones(ctx, sql, tenant.shop, progress.known);
    // The first pass clears also what an account's own deletion leaves, such as its ids at sign-in providers.
    const isFirst = pass.evidence.passes === 1;
    const userIds = isFirst ? progress.known.userIds : found.map(({ id }) => id);
    if (userIds.length > 0) count(pass, await anonymiseAccounts(sql, userIds));
    await savePass(pass, sql, progress);
    await savePeople(sql, request, progress.known.userIds);
    await recordSteps(ctx, sql, request, {
      tables: erasedStep(sumOf(erased, (table) => table !== ARCHIVE && !isOfQueue(table))),
      storefront: storefrontStep(request, progress.known),
    });
    return { progress, found: found.length };
  });
}

/** What mentions the person in queues, inbox and stored messages. */
async function eraseReferences(
  pass: Pass,
  known: KnownSubject,
  queueIds: readonly string[],
): Promise<number> {
  const { ctx, database, tenant, request, erased } = pass;
  const changed = count(pass, await redactReferences(database, tenant.shop, known, queueIds));
  await recordSteps(ctx, dataOf(ctx, tenant).sql, request, {
    queue: erasedStep(sumOf(erased, isOfQueue)),
  });
  return changed;
}

/** The CMS item and the profile; analytics holds nothing that names the person. */
async function eraseOutside(
  { ctx, tenant, request, evidence }: Pass,
  known: KnownSubject,
): Promise<void> {
  const { sql } = dataOf(ctx, tenant);
  const cms: Record<string, string> = { ...evidence.cms };
  for (const userId of known.userIds) {
    const outcome = await eraseCmsItem(ctx, tenant, request, userId);
    if (cms[userId] !== "deleted") cms[userId] = outcome;
  }
  await recordSteps(ctx, sql, request, { cms: cmsStep(tenant, Object.values(cms)) });
  evidence.profiles = await eraseProfiles(ctx, tenant, request, known.emails);
  await recordSteps(ctx, sql, request, {
    profile_platform: tenant.config.profile_platform_url
      ? erasedStep(evidence.profiles)
      : NOT_CONNECTED,
    web_analytics: analyticsStep(ctx, tenant),
  });
  evidence.cms = cms;
}

async function eraseArchive(pass: Pass, known: KnownSubject): Promise<number> {
  const { ctx, tenant, request, erased } = pass;
  const changed = count(pass, { [ARCHIVE]: await eraseArchived(ctx, tenant, known) });
  await recordSteps(ctx, dataOf(ctx, tenant).sql, request, {
    archive: erasedStep(sumOf(erased, (store) => store === ARCHIVE)),
  });
  return changed;
}

const isOfQueue = (table: string): boolean => QUEUE_TABLES.includes(table);

const sumOf = (counts: Counts, isCounted: (store: string) => boolean): number =>
  Object.entries(counts).reduce((sum, [store, count]) => sum + (isCounted(store) ? count : 0), 0);

const NOT_CONNECTED: StepResult = { outcome: "not_connected" };

function storefrontStep({ isByHand }: PrivacyRequest, { gids }: KnownSubject): StepResult {
  if (gids.length === 0) return { outcome: "not_linked" };
  return { outcome: isByHand ? "stays_in_store" : "by_store" };
}

function cmsStep({ config }: Tenant, outcomes: readonly string[]): StepResult {
  if (outcomes.includes("no_access")) return { outcome: "no_access" };
  const deleted = outcomes.filter((outcome) => outcome === "deleted").length;
  return deleted > 0 || config.cms_api_token ? erasedStep(deleted) : NOT_CONNECTED;
}

/** The data that was sent has a client id only, which identifies no person once the account is empty. */
function analyticsStep(ctx: Ctx, tenant: Tenant): StepResult {
  return isChannelEnabled(ctx, tenant, "web_analytics")
    ? { outcome: "pseudonymous" }
    : NOT_CONNECTED;
}

function readProgress(ctx: Ctx, request: PrivacyRequest): Progress {
  const stored = openSubject<Partial<Progress> & Subject>(ctx, request) ?? {};
  if (stored.subject && stored.known) return { subject: stored.subject, known: stored.known };
  const { gid, email, phone, orders = [] } = stored;
  return {
    subject: stored,
    known: {
      userIds: [],
      gids: gid ? [gid] : [],
      emails: email ? [email] : [],
      phones: phone ? [phone] : [],
      names: [],
      orders,
      eventIds: [],
    },
  };
}

const union = <T>(...lists: (readonly T[])[]): T[] => [...new Set(lists.flat())];
const present = (values: readonly (string | null)[]): string[] =>
  values.filter((value): value is string => value !== null && value !== "");

/** The person as known so far, with what this pass found. */
async function findSubject(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { subject, known }: Progress,
): Promise<{ progress: Progress; found: MatchedAccount[] }> {
  const people = await findPeople(ctx, tenant, sql, subject, { lock: true });
  // A redaction by phone must also catch the row that a webhook creates for the gid or address
  // found with it.
  const more = (
    await Promise.all(
      [...known.gids.map((gid) => ({ gid })), ...known.emails.map((email) => ({ email }))].map(
        (one) => findPeople(ctx, tenant, sql, one, { lock: true }),
      ),
    )
  ).flat();
  const all = [...new Map([...people, ...more].map((person) => [person.id, person])).values()];
  const userIds = all.map(({ id }) => id);
  const foundNames = all.flatMap((person) => [
    person.full_name,
    [person.first_name, person.last_name].filter(Boolean).join(" "),
  ]);
  // Asked in each pass, because a customer may come meanwhile who has the name.
  const names = await ownNames(
    sql,
    union(known.names, present(foundNames)),
    union(userIds, known.userIds),
  );
  return {
    found: all.filter((person) => !isErased(person)),
    progress: {
      subject,
      known: {
        userIds: union(known.userIds, userIds),
        gids: union(known.gids, present(all.map((person) => person.storefront_customer_gid))),
        emails: union(
          known.emails,
          present(all.map((person) => person.email?.toLowerCase() ?? null)),
        ),
        phones: known.phones,
        names,
        orders: known.orders,
        eventIds: known.eventIds,
      },
    },
  };
}

/**
 * Searches every table for what is left of the person. While a table that an erasure can change has something,
 * throws Reschedule for another pass, and an error after the last one.
 */
async function searchRest({ database, tenant, evidence }: Pass, known: KnownSubject) {
  const addresses = addressSpellings(known);
  const [inErasable, inOthers] = [
    textSearch(addresses),
    textSearch([...addresses, ...sentenceSpellings(known)]),
  ];
  // In the tables that an erasure can change, names and phone numbers are found by their fields: the
  // pass before has found no more of them. As words they are other people's, too.
  const { searched, residual } = await searchTables(database, tenant.shop, (table) =>
    ERASABLE_TABLES.has(table) ? inErasable : inOthers,
  );
  const isErasable = Object.keys(residual).some((table) => ERASABLE_TABLES.has(table));
  if (isErasable && (evidence.passes ?? 0) < MAX_PASSES) throw new Reschedule(NEXT_PASS_MS);
  if (isErasable) throw new Error(`residual in ${Object.keys(residual).join(", ")}`);
  return { searched, residual };
}

async function prove(pass: Pass, known: KnownSubject): Promise<void> {
  const { ctx, tenant, request, evidence, erased } = pass;
  const { sql, prisma } = dataOf(ctx, tenant);
  const { searched, residual } = await searchRest(pass, known);
  const kept = await prisma.consentRecord.count({ where: { user_id: { in: known.userIds } } });
  const reasons = [
    ...Object.keys(residual).map((table) => `${table} is append-only or the merchant's own words`),
    ...Object.entries(evidence.cms ?? {}).flatMap(([userId, outcome]) =>
      outcome === "no_access" ? [`the CMS item of account ${userId} cannot be reached`] : [],
    ),
  ];
  const left = Object.values(residual).reduce((sum, rows) => sum + rows, 0);
  await recordSteps(ctx, sql, request, {
    search:
      left > 0 ? { outcome: "kept", count: left } : { outcome: "proven", count: searched.columns },
  });
  await enqueueErased(ctx, tenant, sql, known.userIds);
  await finishPrivacyRequest(sql, request, {
    state: reasons.length > 0 ? "retained" : "done",
    evidence: {
      ...evidence,
      erased,
      looked: {
        accounts: known.userIds.length,
        addresses: known.emails.length,
        phones: known.phones.length,
        names: known.names.length,
      },
      searched,
      residual: left,
      ...(reasons.length > 0 && { kept_because: reasons }),
      consent_records_kept: kept,
    },
  });
}
