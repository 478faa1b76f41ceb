// Rate limits (DECISIONS 3), counted in the key-value store before the work, so that parallel
// guesses and several processes share one count.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type TenantSql } from "../../runtime/database/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { countKeys, uncountKeys, type Count } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/**
 * `max` attempts in the `windowSeconds` that begin with the first one. `isOfPlatform`: one count for
 * all stores.
 */
type Limit = { max: number; windowSeconds: number; isOfPlatform?: true };

export const RATE_LIMITS = {
  login_per_email: { max: 10, windowSeconds: 60 },
  login_per_address: { max: 60, windowSeconds: 60 },
  signup_per_address: { max: 20, windowSeconds: 60 },
  /**
   * Each kind of mail has a separate count: other people's sign-ups and sign-ins do not use up a
   * person's reset mails.
   */
  reset_mail_per_email: { max: 5, windowSeconds: 3_600 },
  welcome_mail_per_email: { max: 5, windowSeconds: 3_600 },
  sign_up_mail_per_email: { max: 5, windowSeconds: 3_600 },
  verify_mail_per_email: { max: 5, windowSeconds: 3_600 },
  account_exists_mail_per_email: { max: 5, windowSeconds: 3_600 },
  account_deleted_mail_per_email: { max: 5, windowSeconds: 3_600 },
  reset_mail_per_address: { max: 60, windowSeconds: 3_600 },
  /** Sign-ins started at a provider per store; each stores a state and a verifier. People behind one address share it. */
  sign_in_start_per_address: { max: 120, windowSeconds: 60 },
  /** Links and codes have 256 random bits and cannot be guessed, but every attempt is looked up. */
  link_tries_per_address: { max: 300, windowSeconds: 60 },
  /** The store that an install names need not exist. */
  install_start_per_address: { max: 60, windowSeconds: 60, isOfPlatform: true },
  export_per_account: { max: 5, windowSeconds: 3_600 },
  /** For a customer who uses the extension in the store's customer accounts. */
  account_extension_calls_per_account: { max: 300, windowSeconds: 60 },
  consent_per_address: { max: 60, windowSeconds: 60 },
  /** Every change appends a row to the log, which is never deleted. */
  consent_per_account: { max: 300, windowSeconds: 60 },
  /** At most two a page view; many visitors may share an address. */
  banner_events_per_address: { max: 300, windowSeconds: 60 },
  /** At most 40 a visit; many visitors may share an address, and the key is public. */
  pixel_events_per_address: { max: 600, windowSeconds: 60 },
  pixel_events_per_store: { max: 6_000, windowSeconds: 60 },
  tag_changes_per_account: { max: 300, windowSeconds: 60 },
  /**
   * Tags that the catalog does not have yet. Each becomes an item of the store's CMS too, whose number its plan
   * limits; a form brings one, and one more for each day.
   */
  new_tags_per_account: { max: 250, windowSeconds: 3_600 },
  new_tags_per_address: { max: 500, windowSeconds: 3_600 },
  new_tags_per_store: { max: 2_000, windowSeconds: 3_600 },
  /** An uncached search calls the storefront, whose API has a cost. */
  catalog_reads_per_address: { max: 600, windowSeconds: 60 },
  /** A workflow that starts itself again by way of the store's own triggers ends here. */
  flow_actions_per_customer: { max: 60, windowSeconds: 3_600 },
  agent_registration_per_address: { max: 60, windowSeconds: 3_600 },
  oauth_token_per_address: { max: 300, windowSeconds: 60 },
  /** Agents at /mcp, /a2a and /commerce/*: without a token, with one, and for changes. */
  agent_calls_per_address: { max: 300, windowSeconds: 60 },
  agent_calls_per_token: { max: 1_200, windowSeconds: 60 },
  agent_changes_per_caller: { max: 300, windowSeconds: 60 },
  /** Platforms call for many shoppers from one address; this stops callers with made-up tokens. */
  agent_token_calls_per_address: { max: 6_000, windowSeconds: 60 },
  /**
   * For the standalone admin pages: key attempts, code requests and attempts, mails to one address
   * in total and per client.
   */
  gate_key_per_address: { max: 60, windowSeconds: 60, isOfPlatform: true },
  gate_code_per_address: { max: 40, windowSeconds: 600, isOfPlatform: true },
  gate_mail_per_email: { max: 20, windowSeconds: 3_600, isOfPlatform: true },
  gate_mail_per_pair: { max: 5, windowSeconds: 3_600, isOfPlatform: true },
  test_mail_per_store: { max: 10, windowSeconds: 3_600 },
  /** Also those that the provider refused, which count for no other limit. */
  test_mail_tries_per_store: { max: 60, windowSeconds: 3_600 },
  /** A merchant types the address: no mailbox is filled by many stores. */
  sample_mail_per_email: { max: 5, windowSeconds: 3_600, isOfPlatform: true },
  /** Each one asks the store for up to four pages. */
  storefront_checks_per_store: { max: 20, windowSeconds: 3_600 },
  /** Checks of mandates' proofs: each one is some signatures and reads. */
  proof_checks_per_address: { max: 120, windowSeconds: 60 },
  /** A text is made of the HTML that the store published, which takes processor time. */
  policy_reads_per_address: { max: 60, windowSeconds: 60 },
  /** Fetches of documents at addresses that callers name. */
  agent_document_per_address: { max: 30, windowSeconds: 60 },
  consent_mail_per_email: { max: 5, windowSeconds: 3_600 },
  /** A store's forms must not mail arbitrary people without limit. */
  consent_mail_per_store: { max: 500, windowSeconds: 3_600 },
  /** Of two minutes with as many forms as `consent_per_address` takes: people behind one address get their mails. */
  consent_mail_per_address: { max: 120, windowSeconds: 3_600 },
} as const satisfies Record<string, Limit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/** The limits that each store counts by itself. */
type StoreLimitName = {
  [Name in RateLimitName]: (typeof RATE_LIMITS)[Name] extends { isOfPlatform: true } ? never : Name;
}[RateLimitName];

const isOfPlatform = (name: RateLimitName) => "isOfPlatform" in RATE_LIMITS[name];

type Place = Pick<Tenant, "shop" | "region">;
const PLATFORM_PLACE: Place = { shop: PLATFORM, region: HOME_REGION };

/** What each limit counts by: a client address, an email address, a token. */
export type Subjects = Partial<Record<RateLimitName, string>>;

/**
 * Counts one attempt against each of the limits; throws 429 with `Retry-After` when one is used up.
 * Without a tenant, and for platform limits, in the platform's own count.
 */
export async function consumeRateLimit(
  ctx: Ctx,
  tenant: Place | null,
  subjects: Subjects,
): Promise<void> {
  requireNoWait(await secondsToWait(ctx, tenant, subjects));
}

function requireNoWait(waitSeconds: number): void {
  if (waitSeconds > 0)
    throw new AppError("too_many_requests", { headers: { "Retry-After": String(waitSeconds) } });
}

/** Counts an attempt that may turn out not to count: the returned function takes it back. */
export async function consumeReturnable(
  ctx: Ctx,
  tenant: Place | null,
  subjects: Subjects,
): Promise<() => Promise<void>> {
  await consumeRateLimit(ctx, tenant, subjects);
  const place = placeOf(tenant, subjects);
  const keys = countersOf(ctx, place, subjects).map(({ key }) => key);
  return () => uncountKeys(dataOf(ctx, place).sql, keys);
}

/**
 * Counts one attempt; false when a limit is used up. For actions that are skipped silently, such as
 * a mail that would reveal an account.
 */
export async function tryConsume(
  ctx: Ctx,
  tenant: Place | null,
  subjects: Subjects,
): Promise<boolean> {
  return (await secondsToWait(ctx, tenant, subjects)) === 0;
}

/**
 * The same inside the caller's transaction: a retry of it counts once. The counters stay locked until
 * it ends.
 */
export async function tryConsumeWithin(
  ctx: Ctx,
  tenant: Place,
  sql: TenantSql,
  subjects: Partial<Record<StoreLimitName, string>>,
): Promise<boolean> {
  return (await secondsToWait(ctx, tenant, subjects, { sql })) === 0;
}

/** Counts `amount` at once inside the caller's transaction. The 429 that it throws takes the count back with it. */
export async function consumeWithin(
  ctx: Ctx,
  tenant: Place,
  sql: TenantSql,
  subjects: Partial<Record<StoreLimitName, string>>,
  amount: number,
): Promise<void> {
  requireNoWait(await secondsToWait(ctx, tenant, subjects, { sql, amount }));
}

/**
 * Counts everything in one statement. Client addresses are checked first: an address over its limit
 * creates no counters for the email addresses and tokens that it makes up.
 */
async function secondsToWait(
  ctx: Ctx,
  tenant: Place | null,
  subjects: Subjects,
  { sql, amount }: { sql?: TenantSql; amount?: number } = {},
): Promise<number> {
  if (ctx.config.RATE_LIMIT_SCALE === 0) return 0;
  const place = placeOf(tenant, subjects);
  const counters = countersOf(ctx, place, subjects);
  const counts = await countKeys(sql ?? dataOf(ctx, place).sql, ctx.clock.now(), {
    gates: counters.filter(({ isOfAddress }) => isOfAddress),
    counters: counters.filter(({ isOfAddress }) => !isOfAddress),
    amount,
  });
  const waits = counters.map(({ key, max }) => {
    const { count, endsInSeconds } = counts.get(key) ?? NOT_COUNTED;
    return count > max ? Math.ceil(endsInSeconds) : 0;
  });
  return Math.max(0, ...waits);
}

const NOT_COUNTED: Count = { count: 0, endsInSeconds: 0 };

const placeOf = (tenant: Place | null, subjects: Subjects): Place =>
  tenant === null || (Object.keys(subjects) as RateLimitName[]).some(isOfPlatform)
    ? PLATFORM_PLACE
    : tenant;

function countersOf(ctx: Ctx, place: Place, subjects: Subjects) {
  return (Object.entries(subjects) as [RateLimitName, string][]).map(([name, subject]) => {
    const { max, windowSeconds } = RATE_LIMITS[name];
    return {
      key: KEYS.rate(name, ctx.secrets.pseudonym(`${place.shop}/rate`, subject).slice(0, 32)),
      isOfAddress: name.endsWith("_per_address"),
      max: Math.max(1, Math.floor(max * ctx.config.RATE_LIMIT_SCALE)),
      ttlSeconds: windowSeconds,
    };
  });
}
