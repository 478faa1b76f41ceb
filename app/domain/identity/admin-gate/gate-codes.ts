// One-time codes for the standalone admin pages, mailed to an address of ADMIN_EMAILS. A code works
// once, for ten minutes, in the browser that requested it, and is invalid after five wrong
// attempts. A caller cannot detect whether an address is listed: the same row is written, and the
// mail is sent after the response.
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM } from "../../../runtime/database/database.ts";
import { countKeys, deleteKey, findKey, putKey, takeKey } from "../../../runtime/database/kv.ts";
import { TTL_SECONDS, PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import { secretEquals } from "../../../runtime/secrets.ts";
import type { MailLocale } from "../../mails/mail-texts.ts";
import { renderMail } from "../../mails/render-mail.ts";
import { readPlatformConfig } from "../../tenants/settings/configuration.ts";
import { isAdminAddress } from "./gate-pass.ts";
import { consumeRateLimit, tryConsume } from "../rate-limits.ts";

const MAX_ATTEMPTS = 5;
const DIGITS = 8;
/** The longest address that a mail can have: 64 before the @ and 255 after it (RFC 5321). */
const MAX_ADDRESS_CHARACTERS = 320;
const PLACE = "gate_code";

type KeptCode = {
  /** Encrypted; empty for an address that is not listed. */
  address: string;
  code_hash: string;
};
type Browser = {
  /** 32 random bytes that only this browser has. */
  secret: string;
  clientAddress: string;
};

const sqlOf = (ctx: Ctx) => ctx.home.forTenant(PLATFORM).sql;
const browserMark = (ctx: Ctx, { secret }: Browser) =>
  ctx.secrets.pseudonym("gate_browser", secret);
const codeHash = (ctx: Ctx, { secret }: Browser, code: string) =>
  ctx.secrets.pseudonym("gate_code", `${secret}\n${code}`);

/** Whether codes can be mailed at all. */
export async function canMailCodes(ctx: Ctx): Promise<boolean> {
  return (ctx.config.ADMIN_EMAILS ?? []).length > 0 && (await findSender(ctx)) !== null;
}

async function findSender(ctx: Ctx): Promise<{ apiKey: string; from: string } | null> {
  const platform = await readPlatformConfig(ctx);
  const [apiKey, from] = [
    platform.email_api_key ?? ctx.config.EMAIL_API_KEY,
    platform.email_from ?? ctx.config.EMAIL_FROM,
  ];
  return apiKey && from ? { apiKey, from } : null;
}

/**
 * Does not reveal whether a mail is sent. Throws `too_many_requests` by the caller's own address
 * only.
 */
export async function requestOtp(
  ctx: Ctx,
  browser: Browser,
  asked: string,
  locale: MailLocale,
): Promise<void> {
  await consumeRateLimit(ctx, null, { gate_code_per_address: browser.clientAddress });
  const address = asked.trim().normalize("NFKC").toLowerCase().slice(0, MAX_ADDRESS_CHARACTERS);
  const isLeft = await tryConsume(ctx, null, {
    gate_mail_per_email: address,
    gate_mail_per_pair: `${address}\n${browser.clientAddress}`,
  });
  const isListed = isAdminAddress(ctx, address) && isLeft;
  const code = randomDigits(ctx);
  const mark = browserMark(ctx, browser);
  await deleteKey(sqlOf(ctx), PLATFORM_KEYS.gateAttempts(mark));
  const kept: KeptCode = {
    address: ctx.secrets.seal(PLACE, isListed ? address : ""),
    code_hash: isListed ? codeHash(ctx, browser, code) : ctx.random.bytes(32).toString("hex"),
  };
  await putKey(sqlOf(ctx), PLATFORM_KEYS.gateCode(mark), kept, TTL_SECONDS.gateCode);
  if (isListed) setImmediate(() => void mailCode(ctx, address, code, locale));
}

/**
 * Returns the address that the code was mailed to; null for an invalid code. Safe for concurrent
 * calls: one succeeds.
 */
export async function verifyOtp(ctx: Ctx, browser: Browser, given: string): Promise<string | null> {
  await consumeRateLimit(ctx, null, { gate_code_per_address: browser.clientAddress });
  const mark = browserMark(ctx, browser);
  const attemptsKey = PLATFORM_KEYS.gateAttempts(mark);
  // Counted before the comparison: concurrent guesses share the five attempts.
  const counts = await countKeys(sqlOf(ctx), ctx.clock.now(), {
    counters: [{ key: attemptsKey, ttlSeconds: TTL_SECONDS.gateCode }],
  });
  if ((counts.get(attemptsKey)?.count ?? 0) > MAX_ATTEMPTS) {
    await deleteKey(sqlOf(ctx), PLATFORM_KEYS.gateCode(mark));
    return null;
  }
  const hash = codeHash(ctx, browser, given.replace(/\s/g, ""));
  const kept = await findKey<KeptCode>(sqlOf(ctx), PLATFORM_KEYS.gateCode(mark));
  if (!kept || !secretEquals(kept.value.code_hash, hash)) return null;
  const taken = await takeKey<KeptCode>(sqlOf(ctx), PLATFORM_KEYS.gateCode(mark));
  if (!taken || !secretEquals(taken.code_hash, hash)) return null;
  const address = ctx.secrets.unseal(PLACE, taken.address);
  return isAdminAddress(ctx, address) ? address : null;
}

/** Every code is equally likely: values that do not divide evenly are drawn again. */
function randomDigits(ctx: Ctx): string {
  const [range, below] = [10 ** DIGITS, 2 ** 32];
  for (;;) {
    const drawn = ctx.random.bytes(4).readUInt32BE();
    if (drawn < below - (below % range)) return String(drawn % range).padStart(DIGITS, "0");
  }
}

/**
 * Not through the queue: a code must not be in a row, and a late one is useless. A person who waits can
 * request another.
 */
async function mailCode(
  ctx: Ctx,
  address: string,
  code: string,
  locale: MailLocale,
): Promise<void> {
  try {
    const sender = await findSender(ctx);
    if (!sender) throw new Error("no email key or sender is set");
    await ctx.email.send(
      { apiKey: sender.apiKey, idempotencyKey: ctx.random.uuid(), about: { call: "gate code" } },
      {
        from: sender.from,
        to: address,
        ...renderMail("gate_code", { locale, brand: null, code }),
      },
    );
    ctx.log.info("gate.code_mailed");
  } catch (error) {
    ctx.log.warn("gate.code_not_mailed", { reason: (error as Error).message });
  }
}
