// The forms behind mailed links, for pages without script: the same operations as the JSON
// endpoints, with a page as the response.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { confirmConsent, findPendingChoice } from "../../domain/consent/submit/consent-link.ts";
import {
  findLinkedAccount,
  verifyEmail,
  VerifyEmailInput,
  type LinkedAccount,
} from "../../domain/identity/email-verification.ts";
import { resetPassword, ResetInput } from "../../domain/identity/password/password-reset.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import {
  renderConsentForm,
  renderNotice,
  renderResetForm,
  renderVerifyForm,
  type Notice,
  type VerifyForm,
} from "../../embeds/account-pages.ts";
import { lookOf } from "../../embeds/public-config.ts";
import { isAppError } from "../../runtime/errors.ts";
import { PAGE_HEADERS } from "../cors.ts";
import type { ApiRequest } from "../api-request.ts";
import { plain, type ApiResponse } from "../api-response.ts";
import { findCookieSession, findOwnPageSession } from "../auth/session-guard.ts";

type Fields = Record<string, string>;

// The URL of these pages contains a token: no Referer is sent to other sites.
const html = (status: number, body: string): ApiResponse =>
  plain(status, "text/html; charset=utf-8", body, {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
  });
const notice = (tenant: Tenant, status: number, which: Notice): ApiResponse =>
  html(status, renderNotice(lookOf(tenant), which));

export const showResetForm = (tenant: Tenant, token: string): ApiResponse =>
  html(200, renderResetForm(lookOf(tenant), { shop: tenant.shop, token }));

export async function showVerifyForm(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  token: string,
): Promise<ApiResponse> {
  const session = await findCookieSession(ctx, request, tenant);
  return verifyForm(tenant, token, await findLinkedAccount(ctx, tenant, token, session));
}

const verifyForm = (
  tenant: Tenant,
  token: string,
  account: LinkedAccount | null,
  status = 200,
  problem?: VerifyForm["problem"],
): ApiResponse =>
  html(
    status,
    renderVerifyForm(lookOf(tenant), {
      shop: tenant.shop,
      token,
      passwordFor: account?.needsPassword ? account.email : null,
      problem,
    }),
  );

export async function showConsentForm(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<ApiResponse> {
  const choice = await findPendingChoice(ctx, tenant, token);
  return html(200, renderConsentForm(lookOf(tenant), { shop: tenant.shop, token, choice }));
}

export async function submitResetForm(
  ctx: Ctx,
  tenant: Tenant,
  fields: Fields,
): Promise<ApiResponse> {
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

export async function submitVerifyForm(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  fields: Fields,
): Promise<ApiResponse> {
  const input = VerifyEmailInput.safeParse(fields);
  if (!input.success) return notice(tenant, 400, "badLink");
  const session = await findOwnPageSession(ctx, request, tenant);
  try {
    await verifyEmail(ctx, tenant, input.data, session);
    return notice(tenant, 200, "verified");
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "invalid_link") return notice(tenant, 400, "badLink");
    const account = await findLinkedAccount(ctx, tenant, input.data.token, session);
    const problem = error.code === "busy" ? "busy" : "password";
    return verifyForm(tenant, input.data.token, account, error.status, problem);
  }
}

const ConsentForm = z.object({ token: z.string().max(500) });

export async function submitConsentForm(
  ctx: Ctx,
  tenant: Tenant,
  fields: Fields,
): Promise<ApiResponse> {
  const input = ConsentForm.safeParse(fields);
  if (!input.success) return notice(tenant, 400, "badLink");
  try {
    await confirmConsent(ctx, tenant, input.data.token);
    return notice(tenant, 200, "confirmed");
  } catch (error) {
    if (isAppError(error) && error.code === "invalid_link") return notice(tenant, 400, "badLink");
    throw error;
  }
}
