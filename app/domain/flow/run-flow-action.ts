// Runs an action of a workflow of Shopify Flow (shopify.dev "Create Flow action endpoints").
//
// The platform repeats a run that got no answer, under the same id. The change and the answer commit together
// under that id, so a run changes something once. After a 4xx the platform ends the run; after 429 and 5xx it
// repeats it.
//
// A workflow must not start itself again: an action starts no trigger of ours, asks for a consent once in 30
// days, and is refused after 60 actions an hour for one customer. That limit is apart from the triggers' own.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql, Transaction } from "../../db.server.ts";
import { findKey, putKey, putKeyIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS, type Key } from "../../runtime/database/kv-keys.ts";
import { AppError } from "../../runtime/errors.ts";
import { ADDRESS_CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import type { Submission } from "../consent/consent-input.ts";
import { enqueueConsentRequest, REQUEST_METHOD } from "../consent/submit/consent-link.ts";
import { readSubmission } from "../consent/submit/submission.ts";
import { writeTagsWithin } from "../customers/tag-change.ts";
import { consumeRateLimit } from "../identity/rate-limits.ts";
import { toSlug } from "../tags/catalog.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { FLOW_ACTIONS, type FlowActionName } from "./flow-actions.ts";
import { flowHandle } from "./flow-triggers.ts";

const CustomerId = z
  .union([
    z.string().regex(/^\d{1,20}$/, "must be the number of a customer"),
    // A larger number was rounded when it was read, and would be another customer.
    z.number().int().positive().max(Number.MAX_SAFE_INTEGER).transform(String),
  ])
  .transform((digits) => `gid://shopify/Customer/${digits}`);

const TagProperties = z.object({ customer_id: CustomerId, tag: z.string().min(1).max(200) });
const ConsentProperties = z.object({
  customer_id: CustomerId,
  consent_type: z
    .string()
    .nullish()
    .transform((typed) => typed?.trim().toLowerCase() || "marketing")
    .pipe(z.enum(ADDRESS_CONSENT_TYPES)),
});

const Run = z.object({
  shopify_domain: z.string().max(255),
  action_run_id: z.string().regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 printable characters"),
  handle: z.string().max(255),
  properties: z.record(z.string(), z.unknown()),
});

/** What the platform sends, for the API's document; it adds fields over time. */
export const FlowRun = Run.extend({
  properties: z.object({
    customer_id: z.string(),
    tag: z.string().optional(),
    consent_type: z.string().optional(),
  }),
});

export const FLOW_OUTCOMES = [
  "changed",
  "unchanged",
  "asked",
  "asked_before",
  "granted_before",
] as const;
type Outcome = (typeof FLOW_OUTCOMES)[number];
export type FlowAnswer = { ok: true; outcome: Outcome; deduplicated?: true };

type AskedType = (typeof ADDRESS_CONSENT_TYPES)[number];
type Customer = Columns<StorefrontUser, "id" | "email" | "status">;

/**
 * `handle`: of the path. Throws `not_found` for an unknown action, customer or tag, `invalid_request`,
 * `invalid_signature` for another store's body, `idempotency_conflict` for another body under a known
 * id, `setting_missing`, `conflict`, `too_many_requests`, and what a change of tags throws.
 */
export async function runFlowAction(
  ctx: Ctx,
  tenant: Tenant,
  handle: string,
  body: unknown,
): Promise<FlowAnswer & { user_id: number }> {
  const action = (Object.keys(FLOW_ACTIONS) as FlowActionName[]).find(
    (name) => flowHandle(name) === handle,
  );
  if (!action) throw new AppError("not_found", { message: "There is no such action." });
  const run = parse(Run, body);
  if (run.shopify_domain !== tenant.shop)
    throw new AppError("invalid_signature", {
      message: "The body and the request name different stores.",
    });
  // The signature covers the body and not the path.
  if (run.handle !== handle)
    throw new AppError("invalid_request", { fields: { handle: "names another action" } });
  const task = await prepare(ctx, tenant, action, run.properties);
  const attempt = { id: run.action_run_id, handle, properties: run.properties };
  for (;;) {
    const done = await runOnce(ctx, tenant, attempt, task);
    if (done) return done;
  }
}

/** What is kept of a run under its id; without an answer it has not committed. */
type Kept = { user_id: number; digest: string; answer: FlowAnswer | null };
type RunAttempt = { id: string; handle: string; properties: Record<string, unknown> };

/** Null, with nothing changed, when the customer got another account meanwhile. */
async function runOnce(
  ctx: Ctx,
  tenant: Tenant,
  { id, handle, properties }: RunAttempt,
  task: Task,
): Promise<(FlowAnswer & { user_id: number }) | null> {
  const data = dataOf(ctx, tenant);
  const customer = await findCustomer(data.sql, task.gid);
  const key = KEYS.flowRun(hash("sha256", id));
  // A repeated run gets its own answer again and is not counted again.
  if (!(await findKey(data.sql, key))) {
    await consumeRateLimit(ctx, tenant, { flow_actions_per_customer: String(customer.id) });
    await task.countMail?.(customer);
  }
  const digest = hash("sha256", JSON.stringify([handle, properties]));
  try {
    const answer = await data.transaction(async (sql, prisma): Promise<FlowAnswer> => {
      // First, so that a second request with this id waits here for the first one's commit.
      const kept: Kept = { user_id: customer.id, digest, answer: null };
      if (!(await putKeyIfAbsent(sql, key, kept, TTL_SECONDS.flowRun)))
        return earlierAnswer(sql, key, digest);
      const current = await findCustomer(sql, task.gid, { lock: true });
      if (current.id !== customer.id) throw new CustomerMoved();
      const made: FlowAnswer = { ok: true, outcome: await task.run({ sql, prisma }, current) };
      await putKey(sql, key, { ...kept, answer: made }, TTL_SECONDS.flowRun);
      return made;
    });
    return { ...answer, user_id: customer.id };
  } catch (error) {
    if (error instanceof CustomerMoved) return null;
    throw error;
  }
}

async function earlierAnswer(sql: TenantSql, key: Key, digest: string): Promise<FlowAnswer> {
  const known = (await findKey<Kept>(sql, key))?.value;
  if (!known?.answer || known.digest !== digest)
    throw new AppError("idempotency_conflict", {
      message: "This action_run_id was used with another body.",
    });
  return { ...known.answer, deduplicated: true };
}

class CustomerMoved extends Error {}

function parse<S extends z.ZodType>(schema: S, value: unknown, prefix = ""): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError("invalid_request", {
    fields: Object.fromEntries(
      parsed.error.issues.map(({ path, message }) => [
        `${prefix}${path.join(".")}` || "body",
        message,
      ]),
    ),
  });
}

type Task = {
  gid: string;
  /** Before the transaction, which must not wait for a second connection. */
  countMail?(customer: Customer): Promise<void>;
  run(tx: Transaction, customer: Customer): Promise<Outcome>;
};

/** What the action does, once its properties are checked. */
async function prepare(
  ctx: Ctx,
  tenant: Tenant,
  action: FlowActionName,
  properties: unknown,
): Promise<Task> {
  if (action === "record_consent_request") {
    const { customer_id: gid, consent_type: type } = parse(
      ConsentProperties,
      properties,
      "properties.",
    );
    const submission = await readSubmission(
      ctx,
      tenant,
      { [consentColumn(type)]: true, method: REQUEST_METHOD },
      { userAgent: null, gpc: false },
    );
    return {
      gid,
      countMail: (customer) => countMail(ctx, tenant, customer, type),
      run: (tx, customer) => askForConsent(ctx, tenant, tx, customer, { type, submission }),
    };
  }
  const { customer_id: gid, tag } = parse(TagProperties, properties, "properties.");
  const slug = toSlug(tag);
  const change = action === "add_tag" ? { add: [slug], remove: [] } : { add: [], remove: [slug] };
  return {
    gid,
    async run({ sql, prisma }, { id }) {
      // An action never makes a tag: a misspelled one would be a new tag in every system.
      if (!(await prisma.crmTag.findFirst({ where: { slug } })))
        throw new AppError("not_found", {
          message: "There is no such tag in the catalog.",
          fields: { "properties.tag": "is not in the catalog" },
        });
      const { added, removed } = await writeTagsWithin(ctx, tenant, sql, id, {
        ...change,
        source: "admin",
        categories: null,
        isFromFlow: true,
      });
      return added.length + removed.length > 0 ? "changed" : "unchanged";
    },
  };
}

/** Throws `not_found`. `lock`: until the commit; an account that loses the customer meanwhile counts as moved. */
async function findCustomer(
  sql: TenantSql,
  gid: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Customer> {
  const [customer] = await sql<Customer>(
    `SELECT id, email, status FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = $2
      AND status <> 'deleted' ${lock ? "FOR UPDATE" : ""}`,
    [gid],
  );
  if (customer) return customer;
  if (lock) throw new CustomerMoved();
  throw new AppError("not_found", {
    message: "The app does not know this customer.",
    fields: { "properties.customer_id": "is not known" },
  });
}

async function askForConsent(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  customer: Customer,
  { type, submission }: { type: AskedType; submission: Submission },
): Promise<Outcome> {
  if (!customer.email || customer.status !== "active")
    throw new AppError("conflict", {
      message: "The customer has no email address, or the account is suspended.",
    });
  const claims = await prisma.userClaims.findFirst({ where: { user_id: customer.id } });
  if (claims?.[consentColumn(type)]) return "granted_before";
  const asked = KEYS.flowConsentAsked(customer.id, type);
  const value = { user_id: customer.id };
  if (!(await putKeyIfAbsent(sql, asked, value, TTL_SECONDS.flowConsentAsked)))
    return "asked_before";
  await enqueueConsentRequest(ctx, tenant, sql, customer.id, submission);
  return "asked";
}

/**
 * Counts against the limits of all mails about consents, unless none will be sent. Throws
 * `too_many_requests`.
 */
async function countMail(
  ctx: Ctx,
  tenant: Tenant,
  { id, email, status }: Customer,
  type: AskedType,
): Promise<void> {
  const { sql, prisma } = dataOf(ctx, tenant);
  if (!email || status !== "active") return;
  const claims = await prisma.userClaims.findFirst({ where: { user_id: id } });
  if (claims?.[consentColumn(type)]) return;
  if (await findKey(sql, KEYS.flowConsentAsked(id, type))) return;
  await consumeRateLimit(ctx, tenant, {
    consent_mail_per_email: email,
    consent_mail_per_store: tenant.shop,
  });
}
