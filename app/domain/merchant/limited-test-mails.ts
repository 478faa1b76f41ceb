// The hourly limits of the mails that a merchant sends to see them arrive: one that the provider refused
// was not sent, and counts as an attempt only.
import type { Ctx } from "../../context.server.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { consumeRateLimit, consumeReturnable } from "../identity/rate-limits.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** `typed`: an address that the merchant typed, which has a limit of its own over all stores. */
export async function sendTestMailWithin<Sent>(
  ctx: Ctx,
  tenant: Tenant,
  typed: string | null,
  send: () => Promise<Sent>,
): Promise<Sent> {
  await consumeRateLimit(ctx, tenant, { test_mail_tries_per_store: tenant.shop });
  const taken = [await consumeReturnable(ctx, tenant, { test_mail_per_store: tenant.shop })];
  if (typed !== null) {
    const address = { sample_mail_per_email: typed.toLowerCase() };
    taken.push(await consumeReturnable(ctx, null, address));
  }
  try {
    return await send();
  } catch (error) {
    if (isRefused(error)) for (const giveBack of taken) await giveBack();
    throw error;
  }
}

/** After any other error the mail may have been sent. */
const isRefused = (error: unknown): boolean =>
  error instanceof OutboundError &&
  error.status !== undefined &&
  error.status >= 400 &&
  error.status < 500;
