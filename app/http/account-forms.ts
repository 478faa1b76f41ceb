// The forms behind mailed links, for people without script: the same acts as the JSON endpoints, answered with a page.
import type { Ctx } from "../context.server.ts";
import { confirmConsent } from "../domain/consent/sync-consent.ts";
import { verifyEmail, VerifyEmailInput } from "../domain/identity/email-verification.ts";
import { resetPassword, ResetInput } from "../domain/identity/password-reset.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import {
  renderConsentForm,
  renderNotice,
  renderResetForm,
  renderVerifyForm,
  type Notice,
  type PageLook,
} from "../embeds/account-pages.ts";
import { isAppError } from "../runtime/errors.ts";
import { PAGE_HEADERS } from "./cors.ts";
import { plain, type Reply } from "./reply.ts";

type Fields = Record<string, string>;

const lookOf = (tenant: Tenant): PageLook => ({
  locale: tenant.config.locale,
  brand: tenant.config.brand_name ?? tenant.shop,
});
// The address of these pages holds a token: it is not told to other sites.
const html = (status: number, body: string): Reply =>
  plain(status, "text/html; charset=utf-8", body, {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
  });
const notice = (tenant: Tenant, status: number, which: Notice): Reply =>
  html(status, renderNotice(lookOf(tenant), which));

export const showResetForm = (tenant: Tenant, token: string): Reply =>
  html(200, renderResetForm(lookOf(tenant), { shop: tenant.shop, token }));
export const showVerifyForm = (tenant: Tenant, token: string): Reply =>
  html(200, renderVerifyForm(lookOf(tenant), { shop: tenant.shop, token }));

export const showConsentForm = (tenant: Tenant, token: string): Reply =>
  html(200, renderConsentForm(lookOf(tenant), { shop: tenant.shop, token }));

export async function submitResetForm(ctx: Ctx, tenant: Tenant, fields: Fields): Promise<Reply> {
  const again = (status: number, problem: "password" | "busy") =>
    html(
      status,
      renderResetForm(lookOf(tenant), { shop: tenant.shop, token: fields.token ?? "", problem }),
    );
  const input = ResetInput.safeParse(fields);
  if (!input.success)
    return input.error.issues.some(({ path }) => path[0] === "token")
      ? notice(tenant, 400, "badLink")
      : again(400, "password");
  try {
    await resetPassword(ctx, tenant, input.data);
    return notice(tenant, 200, "saved");
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "invalid_link") return notice(tenant, 400, "badLink");
    return again(error.status, error.code === "busy" ? "busy" : "password");
  }
}

export const submitVerifyForm = (ctx: Ctx, tenant: Tenant, fields: Fields): Promise<Reply> =>
  submitToken(tenant, fields, "verified", (token) => verifyEmail(ctx, tenant, token));
export const submitConsentForm = (ctx: Ctx, tenant: Tenant, fields: Fields): Promise<Reply> =>
  submitToken(tenant, fields, "confirmed", (token) => confirmConsent(ctx, tenant, token));

async function submitToken(
  tenant: Tenant,
  fields: Fields,
  done: Notice,
  act: (token: string) => Promise<unknown>,
): Promise<Reply> {
  const input = VerifyEmailInput.safeParse(fields);
  try {
    if (!input.success) return notice(tenant, 400, "badLink");
    await act(input.data.token);
    return notice(tenant, 200, done);
  } catch (error) {
    if (isAppError(error) && error.code === "invalid_link") return notice(tenant, 400, "badLink");
    throw error;
  }
}
