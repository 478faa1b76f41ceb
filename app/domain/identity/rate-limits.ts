// Rate limits (DECISIONS 3), counted in the key-value store before the work, so that parallel guesses and several
// processes share one count.
import type { Ctx } from "../../context.server.ts";
import { PLATFORM } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { countKeys, KEYS } from "../../runtime/kv.ts";
import { HOME_REGION } from "../../runtime/settings.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

/** `isOfPlatform`: one count for all stores. */
type Limit = { max: number; windowSeconds: number; isOfPlatform?: true };

export const RATE_LIMITS = {
  login_per_email: { max: 10, windowSeconds: 60 },
  login_per_address: { max: 60, windowSeconds: 60 },
  signup_per_address: { max: 20, windowSeconds: 60 },
  /** Each kind of mail has a count of its own: sign-ups and sign-ins of strangers use up nobody's reset mails. */
  reset_mail_per_email: { max: 5, windowSeconds: 3_600 },
  sign_up_mail_per_email: { max: 5, windowSeconds: 3_600 },
  verify_mail_per_email: { max: 5, windowSeconds: 3_600 },
  account_exists_mail_per_email: { max: 5, windowSeconds: 3_600 },
  account_deleted_mail_per_email: { max: 5, windowSeconds: 3_600 },
  reset_mail_per_address: { max: 60, windowSeconds: 3_600 },
  /** Sign-ins at a provider that are begun in one store; each leaves its state and verifier behind. */
  sign_in_start_per_address: { max: 60, windowSeconds: 60 },
  /** Links and codes hold 256 random bits: nobody guesses one, but every try is looked up. */
  link_tries_per_address: { max: 300, windowSeconds: 60 },
  /** The store that an install names need not exist. */
  install_start_per_address: { max: 60, windowSeconds: 60, isOfPlatform: true },
  export_per_account: { max: 5, windowSeconds: 3_600 },
  consent_per_address: { max: 60, windowSeconds: 60 },
  /** Every change is a row of the log, for ever. */
  consent_per_account: { max: 300, windowSeconds: 60 },
  tag_changes_per_account: { max: 300, windowSeconds: 60 },
  /** A search that was not made lately asks the storefront, whose answers have a price. */
  catalogue_reads_per_address: { max: 600, windowSeconds: 60 },
  agent_registration_per_address: { max: 20, windowSeconds: 3_600 },
  oauth_token_per_address: { max: 300, windowSeconds: 60 },
  /** Agents at /mcp, /a2a and /commerce/*: without a token, with one, and what changes something. */
  agent_calls_per_address: { max: 300, windowSeconds: 60 },
  agent_calls_per_token: { max: 1_200, windowSeconds: 60 },
  agent_changes_per_caller: { max: 300, windowSeconds: 60 },
  /** Platforms speak for many shoppers from one address; whoever makes tokens up is stopped here. */
  agent_token_calls_per_address: { max: 6_000, windowSeconds: 60 },
  /** Of the standalone admin pages: keys shown, codes asked for or typed, mails to one address in all and from one place. */
  gate_key_per_address: { max: 60, windowSeconds: 60, isOfPlatform: true },
  gate_code_per_address: { max: 40, windowSeconds: 600, isOfPlatform: true },
  gate_mail_per_email: { max: 20, windowSeconds: 3_600, isOfPlatform: true },
  gate_mail_per_pair: { max: 5, windowSeconds: 3_600, isOfPlatform: true },
  test_mail_per_store: { max: 10, windowSeconds: 3_600 },
  /** Fetches of documents that a stranger names. */
  agent_document_per_address: { max: 30, windowSeconds: 60 },
  consent_mail_per_email: { max: 5, windowSeconds: 3_600 },
  /** A store's forms are no way to write to arbitrary people. */
  consent_mail_per_store: { max: 500, windowSeconds: 3_600 },
  consent_mail_per_address: { max: 30, windowSeconds: 3_600 },
} as const satisfies Record<string, Limit>;

export type RateLimitName = keyof typeof RATE_LIMITS;

const isOfPlatform = (name: RateLimitName) => "isOfPlatform" in RATE_LIMITS[name];

type Place = Pick<Tenant, "shop" | "region">;
const PLATFORM_PLACE: Place = { shop: PLATFORM, region: HOME_REGION };

/** Whom each limit counts: an address, an e-mail address, a token. */
export type Subjects = Partial<Record<RateLimitName, string>>;

/**
 * Counts one try against each of the limits; 429 with `Retry-After` when one of them is used up. Without a tenant, and for
 * limits of the platform, in the platform's own count.
 */
export async function countTry(ctx: Ctx, tenant: Place | null, subjects: Subjects): Promise<void> {
  const waitSeconds = await secondsToWait(ctx, tenant, subjects);
  if (waitSeconds > 0)
    throw new AppError("too_many_requests", { headers: { "Retry-After": String(waitSeconds) } });
}

/** Counts one try; false when a limit is used up. For what is left out in silence, as a mail that would tell of an account. */
export async function isTryLeft(
  ctx: Ctx,
  tenant: Place | null,
  subjects: Subjects,
): Promise<boolean> {
  return (await secondsToWait(ctx, tenant, subjects)) === 0;
}

/**
 * Counts everything in one statement. Client addresses are the gates: an address that has used up its limit leaves no
 * counters behind for the e-mail addresses and tokens that it makes up.
 */
async function secondsToWait(ctx: Ctx, tenant: Place | null, subjects: Subjects): Promise<number> {
  const scale = ctx.config.RATE_LIMIT_SCALE;
  if (scale === 0) return 0;
  const names = Object.keys(subjects) as RateLimitName[];
  const place = tenant === null || names.some(isOfPlatform) ? PLATFORM_PLACE : tenant;
  const now = ctx.clock.now().getTime() / 1_000;
  const windows = (Object.entries(subjects) as [RateLimitName, string][]).map(([name, subject]) => {
    const { max, windowSeconds } = RATE_LIMITS[name];
    const window = Math.floor(now / windowSeconds);
    return {
      key: KEYS.rate(
        name,
        ctx.secrets.pseudonym(`${place.shop}/rate`, subject).slice(0, 32),
        window,
      ),
      isOfAddress: name.endsWith("_per_address"),
      max: Math.max(1, Math.floor(max * scale)),
      ttlSeconds: windowSeconds,
      endsIn: Math.ceil((window + 1) * windowSeconds - now),
    };
  });
  const counts = await countKeys(
    dataOf(ctx, place).sql,
    windows.filter(({ isOfAddress }) => !isOfAddress),
    windows.filter(({ isOfAddress }) => isOfAddress),
  );
  const full = windows.filter(({ key, max }) => (counts.get(key) ?? 0) > max);
  return Math.max(0, ...full.map(({ endsIn }) => endsIn));
}
