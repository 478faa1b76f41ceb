// The buttons that test a connection: one harmless call to the system, and its result.
import type { Ctx } from "../../context.server.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { probeDestination } from "../bus/log/destinations.ts";
import { consumeRateLimit } from "../identity/rate-limits.ts";
import { testStorefront } from "../tenants/storefront/checks.ts";
import { getTenant, type Tenant } from "../tenants/tenant.ts";

/** `to`: the recipient of the test mail. */
export type ConnectionTest = {
  outcome: "tested";
  system: string;
  ok: boolean;
  status: number | null;
  reason: string | null;
  to: string | null;
};

/** Errors that the merchant can act on are a result. */
export async function testConnection(
  ctx: Ctx,
  shop: string,
  system: string,
): Promise<ConnectionTest> {
  const tenant = await getTenant(ctx, shop);
  const toConnectionTest = (ok: boolean, more: Partial<ConnectionTest> = {}): ConnectionTest => ({
    outcome: "tested",
    system,
    ok,
    status: null,
    reason: null,
    to: null,
    ...more,
  });
  try {
    if (system === "storefront") {
      const { ok, status } = await testStorefront(ctx, shop);
      return toConnectionTest(ok, { status });
    }
    if (system === "email") return toConnectionTest(true, { to: await sendTestMail(ctx, tenant) });
    if (tenant.config.access_role === "shared")
      return toConnectionTest(false, { reason: "This store has no destinations of its own." });
    const { ok, http_status: status, error } = await probeDestination(ctx, tenant, system);
    return toConnectionTest(ok, { status, reason: error });
  } catch (error) {
    if (!isAppError(error) && !(error instanceof OutboundError)) throw error;
    return toConnectionTest(false, {
      status: error instanceof OutboundError ? (error.status ?? null) : null,
      reason: error.message,
    });
  }
}

const MAIL = {
  en: {
    subject: "It works: a test message",
    text: "Messages of your store leave with the sender and key that you saved.",
  },
  es: {
    subject: "Funciona: mensaje de prueba",
    text: "Los mensajes de tu tienda salen con el remitente y la clave que has guardado.",
  },
  fr: {
    subject: "Cela fonctionne : message d'essai",
    text: "Les messages de votre boutique partent avec l'expéditeur et la clé que vous avez enregistrés.",
  },
};

/** To the store's own addresses, never to one from the form. */
async function sendTestMail(ctx: Ctx, tenant: Tenant): Promise<string> {
  const { email_api_key: apiKey, email_from: from, support_email: support, locale } = tenant.config;
  if (!apiKey || !from)
    throw new OutboundError("email", "refused_address", {
      message: "The sender or the key is not set.",
    });
  await consumeRateLimit(ctx, tenant, { test_mail_per_store: tenant.shop });
  const to = support ?? from.replace(/^.*<|>$/g, "");
  const { subject, text } = MAIL[locale];
  await ctx.email.send(
    { apiKey, idempotencyKey: ctx.random.uuid(), about: { shop: tenant.shop, call: "test mail" } },
    { from, to, subject, text, html: `<p>${text}</p>` },
  );
  return to;
}
