// Sign-up with email and password (SPEC "Signup flow"). Person, claims, consent rows and queue
// rows commit together.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { isUniqueViolation, type Transaction } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { inSteps } from "../../runtime/deadlines/in-steps.ts";
import { retryOnConflict } from "../../runtime/database/retry-on-conflict.ts";
import { announceDecisions } from "../consent/announce-decisions.ts";
import { findPolicyHash } from "../consent/policies.ts";
import { recordConsent, type ConsentEntry } from "../consent/record-consent.ts";
import type { ConsentType } from "../consent/consent-types.ts";
import type { Visit } from "../consent/visit.ts";
import { cleanName } from "../customers/person-name.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import {
  ACCOUNT_COLUMNS,
  findAccountByEmail,
  findWaitingAccount,
  freeAddressOf,
  getAccount,
  isWaiting,
  type Account,
} from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { EmailAddress } from "./email-address.ts";
import { enqueueMail } from "./mails.ts";
import { hashPassword, Password } from "./password/password.ts";
import { tryConsume } from "./rate-limits.ts";

const Name = z.string().overwrite(cleanName).max(200).optional();

export const SignUpInput = z
  .object({
    email: EmailAddress,
    password: Password,
    first_name: Name,
    last_name: Name,
    language_pref: z
      .string()
      .regex(/^[a-z]{2}(-[A-Za-z]{2,4})?$/, "must be a language code such as en")
      .optional(),
    consent_version: z.string().max(80).optional(),
    consent_tos: z.unknown().optional(),
    consent_privacy: z.unknown().optional(),
    consent_marketing: z.boolean().optional(),
    consent_cookie: z.boolean().optional(),
  })
  .refine(({ email, password }) => password.toLowerCase() !== email, {
    path: ["password"],
    message: "must not be the email address",
  });

export type SignUpInput = z.output<typeof SignUpInput>;

/**
 * `pending`: the store requires a verified address first, and does not reveal whether it is taken.
 */
export type SignedUp = { outcome: "created"; account: Account } | { outcome: "pending" };

/** An account costs more statements than a mail to the owner of the address: this is more than either takes. */
const HIDDEN_STEP_MS = 100;

export async function signUp(
  ctx: Ctx,
  tenant: Tenant,
  input: SignUpInput,
  visit: Visit,
): Promise<SignedUp> {
  if (input.consent_tos !== true || input.consent_privacy !== true)
    throw new AppError("consent_required", { fields: consentProblems(input) });
  const passwordHash = await hashPassword(ctx.random, input.password, tenant);
  const create = () => createOrTell(ctx, tenant, input, { passwordHash, visit });
  // Where the answer does not tell whether the address is taken, its time does not either.
  return tenant.config.require_email_verification ? inSteps(HIDDEN_STEP_MS, create) : create();
}

/** Creates the account. Where its address is taken: throws `email_taken`, or mails the owner in a store that hides it. */
async function createOrTell(
  ctx: Ctx,
  tenant: Tenant,
  input: SignUpInput,
  { passwordHash, visit }: { passwordHash: string; visit: Visit },
): Promise<SignedUp> {
  const hidesTaken = tenant.config.require_email_verification;
  // Repeated sign-ups and deletions must not flood a mailbox. Earlier links still work.
  const mayMail = await tryConsume(ctx, tenant, { sign_up_mail_per_email: input.email });
  try {
    // Of two concurrent sign-ups the unique index accepts one; the other runs again and finds the
    // address taken.
    const account = await retryOnConflict(() =>
      dataOf(ctx, tenant).transaction((sql, prisma) =>
        createAccount(ctx, tenant, { sql, prisma }, input, { passwordHash, visit, mayMail }),
      ),
    );
    ctx.log.info("account.signed_up", {
      shop: tenant.shop,
      user_id: account.id,
      is_waiting: isWaiting(account),
    });
    return hidesTaken ? { outcome: "pending" } : { outcome: "created", account };
  } catch (error) {
    if (!(error instanceof EmailTaken) && !isUniqueViolation(error)) throw error;
    if (!hidesTaken) throw new AppError("email_taken");
    await tellOwner(ctx, tenant, input.email);
    return { outcome: "pending" };
  }
}

function consentProblems(input: SignUpInput): Record<string, string> {
  return Object.fromEntries(
    (["consent_tos", "consent_privacy"] as const)
      .filter((name) => input[name] !== true)
      .map((name) => [name, "must be true"]),
  );
}

class EmailTaken extends Error {}

/** A contact or storefront customer without any sign-in method. */
const isPassive = (account: Account) =>
  account.status === "active" &&
  account.password_hash === "" &&
  account.federated_sub === null &&
  account.last_login_at === null &&
  !isWaiting(account);

/**
 * A passive contact keeps the address until it is verified: the sign-up is a separate row that has
 * no access to the contact and is not pushed to any system.
 */
async function createAccount(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  input: SignUpInput,
  { passwordHash, visit, mayMail }: { passwordHash: string; visit: Visit; mayMail: boolean },
): Promise<Account> {
  const known = await findAccountByEmail(sql, input.email, { lock: true });
  const holder = known?.status === "deleted" ? null : known;
  if (holder && !isPassive(holder)) throw new EmailTaken();
  if (await findWaitingAccount(sql, input.email)) throw new EmailTaken();
  await freeAddressOf({ prisma }, known);
  const fullName = [input.first_name, input.last_name].filter(Boolean).join(" ");
  const [account] = await sql<Account>(
    `INSERT INTO storefront_users (shop, email, unproven_email, password_hash, first_name,
      last_name, full_name, language_pref, provider, last_login_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'email', now()) RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
    [
      holder ? null : input.email,
      holder ? input.email : null,
      passwordHash,
      input.first_name || null,
      input.last_name || null,
      fullName || null,
      input.language_pref ?? null,
    ],
  );
  if (!account) throw new Error("the account was not stored");
  const decisions = await storeClaims(
    ctx,
    tenant,
    { sql, prisma },
    { userId: account.id, input, visit },
  );
  // The sign-up's own event takes the tags to every system.
  await updateSystemTags(ctx, tenant, sql, [account.id], { announce: "flow_only" });
  if (!holder) {
    await enqueueAccountEvent(ctx, tenant, sql, "email_signup", account.id);
    await announceDecisions(ctx, tenant, sql, account.id, decisions);
  }
  if (mayMail)
    await enqueueMail(ctx, tenant, sql, { template: "verify_email", userId: account.id });
  // Read again, because the tags were just written.
  return getAccount(sql, account.id);
}

async function storeClaims(
  ctx: Ctx,
  tenant: Tenant,
  { sql, prisma }: Transaction,
  { userId, input, visit }: { userId: number; input: SignUpInput; visit: Visit },
): Promise<ConsentEntry[]> {
  const version = input.consent_version ?? tenant.config.consent_policy_version ?? null;
  const policyHash = await findPolicyHash(sql, version, tenant.config.locale);
  const key = { shop: tenant.shop, user_id: userId };
  await prisma.userClaims.create({
    data: {
      ...key,
      consent_tos: true,
      consent_privacy: true,
      consent_cookie: input.consent_cookie ?? false,
      consent_marketing: input.consent_marketing ?? false,
      consent_version: version,
      language: input.language_pref ?? null,
    },
  });
  await prisma.userExtras.create({ data: key });
  const expressed: [ConsentType, boolean | undefined][] = [
    ["tos", true],
    ["privacy", true],
    ["cookie", input.consent_cookie],
    ["marketing", input.consent_marketing],
  ];
  const consentId = ctx.random.uuid();
  const decisions = expressed
    .filter(([, value]) => value !== undefined)
    .map(([consentType, value]) => ({
      userId,
      consentType,
      action: value ? "granted" : "revoked",
      method: "signup",
      consentVersion: version,
      policyHash,
      consentId,
      userAgent: visit.userAgent,
      gpc: visit.gpc,
      timestamp: ctx.clock.now().toISOString(),
      createdAt: visit.at,
    }));
  await recordConsent(sql, tenant, decisions);
  return decisions;
}

/** The owner of a taken address is mailed about the attempt; the caller learns nothing. */
async function tellOwner(ctx: Ctx, tenant: Tenant, email: string): Promise<void> {
  if (!(await tryConsume(ctx, tenant, { account_exists_mail_per_email: email }))) return;
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const owner = await findAccountByEmail(sql, email);
    if (owner?.status === "active")
      await enqueueMail(ctx, tenant, sql, { template: "account_exists", userId: owner.id });
  });
}
