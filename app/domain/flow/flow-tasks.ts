// What each action of Shopify Flow does to a customer, once its properties are checked.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, Transaction } from "../../db.server.ts";
import { findKey, putKeyIfAbsent } from "../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { AppError } from "../../runtime/errors.ts";
import type { Submission } from "../consent/consent-input.ts";
import { ADDRESS_CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { enqueueConsentRequest, REQUEST_METHOD } from "../consent/submit/consent-link.ts";
import { readSubmission } from "../consent/submit/submission.ts";
import { writeTagsWithin } from "../customers/tag-change.ts";
import { consumeRateLimit } from "../identity/rate-limits.ts";
import { toSlug } from "../tags/catalog.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { FlowActionName } from "./flow-actions.ts";

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

export const FLOW_OUTCOMES = [
  "changed",
  "unchanged",
  "asked",
  "asked_before",
  "granted_before",
] as const;
export type FlowOutcome = (typeof FLOW_OUTCOMES)[number];

type AskedType = (typeof ADDRESS_CONSENT_TYPES)[number];
export type FlowCustomer = Columns<StorefrontUser, "id" | "email" | "status">;

/** One action with its checked properties. */
export type FlowTask = {
  gid: string;
  /** Before the transaction, which must not wait for a second connection. */
  countMail?(customer: FlowCustomer): Promise<void>;
  run(tx: Transaction, customer: FlowCustomer): Promise<FlowOutcome>;
};

/** Throws `invalid_request` with the properties that are wrong. */
export async function prepareTask(
  ctx: Ctx,
  tenant: Tenant,
  action: FlowActionName,
  properties: unknown,
): Promise<FlowTask> {
  if (action === "record_consent_request") {
    const { customer_id: gid, consent_type: type } = parseFlowPart(
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
  const { customer_id: gid, tag } = parseFlowPart(TagProperties, properties, "properties.");
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

async function askForConsent(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  customer: FlowCustomer,
  { type, submission }: { type: AskedType; submission: Submission },
): Promise<FlowOutcome> {
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
  await enqueueConsentRequest(ctx, tenant, sql, { userId: customer.id, submission });
  return "asked";
}

/**
 * Counts against the limits of all mails about consents, unless none will be sent. Throws
 * `too_many_requests`.
 */
async function countMail(
  ctx: Ctx,
  tenant: Tenant,
  { id, email, status }: FlowCustomer,
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

/** Throws `invalid_request` with the fields that are wrong, each behind `prefix`. */
export function parseFlowPart<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix = "",
): z.output<S> {
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
