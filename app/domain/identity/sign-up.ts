// Sign-up with e-mail and password (SPEC "Signup flow"). Person, claims, consent rows and queue rows stand or fall together.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { recordConsent } from "../consent/record-consent.ts";
import type { ConsentType } from "../consent/consent-types.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { ACCOUNT_COLUMNS, findAccountByEmail, type Account } from "./account.ts";
import { enqueueAccountEvent } from "./account-events.ts";
import { EmailAddress } from "./email-address.ts";
import { enqueueMail } from "./mails.ts";
import { hashPassword, Password } from "./password.ts";
import { isTryLeft } from "./rate-limits.ts";

const Name = z.string().trim().max(200).optional();

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
    message: "must not be the e-mail address",
  });

export type SignUpInput = z.output<typeof SignUpInput>;

/** How the person came: what the consent log keeps of it. */
export type Visit = { userAgent: string | null };

/** `pending`: the store lets nobody in before the address is proven, and does not say whether it is taken. */
export type SignedUp = { outcome: "created"; account: Account } | { outcome: "pending" };

export async function signUp(
  ctx: Ctx,
  tenant: Tenant,
  input: SignUpInput,
  visit: Visit,
): Promise<SignedUp> {
  if (input.consent_tos !== true || input.consent_privacy !== true)
    throw new AppError("consent_required", { fields: consentProblems(input) });
  const passwordHash = await hashPassword(ctx.random, input.password, tenant);
  const hidesTaken = tenant.config.require_email_verification;
  try {
    const account = await dataOf(ctx, tenant).transaction((sql) =>
      createAccount(ctx, tenant, sql, input, passwordHash, visit),
    );
    ctx.log.done("account.signed_up", { shop: tenant.shop, user_id: account.id });
    return hidesTaken ? { outcome: "pending" } : { outcome: "created", account };
  } catch (error) {
    // Two at once: the unique index lets one of them through.
    if (!isTaken(error)) throw error;
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

const isTaken = (error: unknown) =>
  error instanceof EmailTaken || (error as { code?: string }).code === "23505";

class EmailTaken extends Error {}

/** A contact that was only ever known from the storefront, and that nobody has signed in to. */
const isPassive = (account: Account) =>
  account.password_hash === "" &&
  !account.federated_sub &&
  account.status === "active" &&
  !account.last_login_at &&
  !account.email_verified;

async function createAccount(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  input: SignUpInput,
  passwordHash: string,
  visit: Visit,
): Promise<Account> {
  const found = await findAccountByEmail(sql, input.email, true);
  const known = found?.status === "deleted" ? null : found;
  if (known && !isPassive(known)) throw new EmailTaken();
  // A customer whom the storefront deleted left the address behind: it goes to whoever signs up with it now.
  if (found && !known)
    await sql(
      "UPDATE storefront_users SET email = NULL WHERE shop = $1 AND id = $2 AND status = 'deleted'",
      [found.id],
    );
  const names = { first: input.first_name || null, last: input.last_name || null };
  const fields = [
    passwordHash,
    names.first,
    names.last,
    [names.first, names.last].filter(Boolean).join(" ") || null,
    input.language_pref ?? null,
  ];
  const [account] = known
    ? await sql<Account>(
        `UPDATE storefront_users SET password_hash = $3, first_name = $4, last_name = $5, full_name = $6, language_pref = $7, provider = 'email', last_login_at = now(), updated_at = now()
         WHERE shop = $1 AND id = $2 RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
        [known.id, ...fields],
      )
    : await sql<Account>(
        `INSERT INTO storefront_users (shop, email, password_hash, first_name, last_name, full_name, language_pref, provider, last_login_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'email', now()) RETURNING ${ACCOUNT_COLUMNS.join(", ")}`,
        [input.email, ...fields],
      );
  if (!account) throw new Error("the account was not stored");
  await storeClaims(ctx, tenant, sql, account.id, input, visit);
  await enqueueAccountEvent(ctx, tenant, sql, "email_signup", account.id);
  await enqueueMail(ctx, tenant, sql, { template: "verify_email", userId: account.id });
  return account;
}

async function storeClaims(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  input: SignUpInput,
  visit: Visit,
): Promise<void> {
  const version = input.consent_version ?? tenant.config.consent_policy_version ?? null;
  // What was not expressed now stays as it was: a flag never changes without a row in the log.
  await sql(
    `INSERT INTO user_claims (shop, user_id, consent_tos, consent_privacy, consent_cookie, consent_marketing, consent_version, language)
     VALUES ($1, $2, true, true, coalesce($3, false), coalesce($4, false), $5, $6)
     ON CONFLICT (shop, user_id) DO UPDATE SET consent_tos = true, consent_privacy = true, consent_cookie = coalesce($3, user_claims.consent_cookie),
       consent_marketing = coalesce($4, user_claims.consent_marketing), consent_version = coalesce($5, user_claims.consent_version), language = $6, updated_at = now()`,
    [
      userId,
      input.consent_cookie ?? null,
      input.consent_marketing ?? null,
      version,
      input.language_pref ?? null,
    ],
  );
  await sql(
    "INSERT INTO user_extras (shop, user_id) VALUES ($1, $2) ON CONFLICT (shop, user_id) DO NOTHING",
    [userId],
  );
  const expressed: [ConsentType, boolean | undefined][] = [
    ["tos", true],
    ["privacy", true],
    ["cookie", input.consent_cookie],
    ["marketing", input.consent_marketing],
  ];
  const consentId = ctx.random.uuid();
  await recordConsent(
    sql,
    expressed
      .filter(([, value]) => value !== undefined)
      .map(([consentType, value]) => ({
        userId,
        consentType,
        action: value ? "granted" : "revoked",
        method: "signup",
        consentVersion: version,
        consentId,
        userAgent: visit.userAgent,
        timestamp: ctx.clock.now().toISOString(),
      })),
  );
}

/** The owner of a taken address learns that somebody tried; the one who tried learns nothing. */
async function tellOwner(ctx: Ctx, tenant: Tenant, email: string): Promise<void> {
  if (!(await isTryLeft(ctx, tenant, { mail_per_email: email }))) return;
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const owner = await findAccountByEmail(sql, email);
    if (owner?.status === "active")
      await enqueueMail(ctx, tenant, sql, { template: "account_exists", userId: owner.id });
  });
}
