// The buttons that test a connection: one harmless call to the system, and its result.
import type { Ctx } from "../../context.server.ts";
import { putKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { AppError, isAppError, OutboundError } from "../../runtime/errors.ts";
import { parseAnswer } from "../../runtime/outbound/answers.ts";
import { probeDestination } from "../bus/log/destinations.ts";
import { toFailure, type Failure } from "../bus/log/failure-kind.ts";
import { brandOf } from "../mails/mail-brand.ts";
import { renderMail } from "../mails/render-mail.ts";
import { askShop } from "../tenants/storefront/checks.ts";
import { dataOf, getTenant, type Tenant } from "../tenants/tenant.ts";
import { sendTestMailWithin } from "./limited-test-mails.ts";

/** `to`: the recipient of the test mail. `at`: ISO 8601. */
export type ConnectionTest = {
  ok: boolean;
  at: string;
  latency_ms: number;
  failure: Failure | null;
  to: string | null;
};

type Result = { ok: boolean; status: number | null; reason: string | null; to?: string };

/** Errors that the merchant can act on are a result, which is kept as the system's last test. */
export async function testConnection(
  ctx: Ctx,
  shop: string,
  system: string,
): Promise<ConnectionTest> {
  const tenant = await getTenant(ctx, shop);
  const started = performance.now();
  const { ok, status, reason, to = null } = await callSystem(ctx, tenant, system);
  const test: ConnectionTest = {
    ok,
    at: ctx.clock.now().toISOString(),
    latency_ms: Math.round(performance.now() - started),
    failure: ok ? null : toFailure({ error: reason, http_status: status }),
    to,
  };
  await putKey(dataOf(ctx, tenant).sql, KEYS.connectionTest(system), test);
  return test;
}

/** Throws `not_found` for a system that cannot be tested. */
async function callSystem(ctx: Ctx, tenant: Tenant, system: string): Promise<Result> {
  try {
    if (system === "storefront") {
      const answer = await askShop(ctx, tenant.shop);
      const ok = answer.status === 200;
      if (ok) parseAnswer("storefront", answer);
      return { ok, status: answer.status, reason: null };
    }
    if (system === "email")
      return { ok: true, status: null, reason: null, to: await sendTestMail(ctx, tenant) };
    if (tenant.config.access_role === "shared") throw new AppError("not_found");
    const { ok, http_status: status, error } = await probeDestination(ctx, tenant, system);
    return { ok, status, reason: error };
  } catch (error) {
    if (isAppError(error) && error.code !== "not_found" && error.code !== "too_many_requests")
      return { ok: false, status: null, reason: error.message };
    if (!(error instanceof OutboundError)) throw error;
    return { ok: false, status: error.status ?? null, reason: error.message };
  }
}

/** Sends only to the store's own addresses, never to one from the form. */
async function sendTestMail(ctx: Ctx, tenant: Tenant): Promise<string> {
  const { email_api_key: apiKey, email_from: from, support_email: support, locale } = tenant.config;
  if (!apiKey || !from)
    throw new OutboundError("email", "refused_address", {
      message: "the sender or the key is not set",
    });
  const to = support ?? from.replace(/^.*<|>$/g, "");
  const mail = { from, to, ...renderMail("connection_test", { locale, brand: brandOf(tenant) }) };
  const about = { shop: tenant.shop, call: "test mail" };
  const answer = await sendTestMailWithin(ctx, tenant, null, () =>
    ctx.email.send({ apiKey, idempotencyKey: ctx.random.uuid(), about }, mail),
  );
  parseAnswer("email", answer);
  return to;
}
