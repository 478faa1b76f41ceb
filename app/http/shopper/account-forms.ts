// The forms behind mailed links, for pages without script: the same operations as the JSON
// endpoints, with a page as the response.
import { z } from "zod";
import { confirmConsent, findPendingChoice } from "../../domain/consent/submit/consent-link.ts";
import {
  findLinkedAccount,
  verifyEmail,
  VerifyEmailInput,
  type LinkedAccount,
} from "../../domain/identity/email-verification.ts";
import { resetPassword, ResetInput } from "../../domain/identity/password/password-reset.ts";
import {
  renderConsentForm,
  renderNotice,
  renderPasswordSaved,
  renderResetForm,
  renderVerifyForm,
  type Notice,
  type PageLook,
  type VerifyForm,
} from "../../embeds/account-pages.ts";
import { isAppError } from "../../runtime/errors.ts";
import type { ApiResponse } from "../api-response.ts";
import { findCookieSession, findOwnPageSession } from "../auth/session-guard.ts";
import { lookForReader } from "./reader-look.ts";
import { linkPage, type LinkVisit } from "./link-page.ts";

type Fields = Record<string, string>;

const lookFor = ({ request, tenant, sent }: LinkVisit<{ locale?: string | undefined }>): PageLook =>
  lookForReader(request, tenant, sent.locale);

const notice = (visit: LinkVisit<Fields>, status: number, which: Notice): ApiResponse =>
  linkPage(status, renderNotice(lookFor(visit), which));

export const showResetForm = (visit: LinkVisit): ApiResponse =>
  linkPage(
    200,
    renderResetForm(lookFor(visit), { shop: visit.tenant.shop, token: visit.sent.token }),
  );

export async function showVerifyForm(visit: LinkVisit): Promise<ApiResponse> {
  const { ctx, request, tenant, sent } = visit;
  const session = await findCookieSession(ctx, request, tenant);
  return verifyForm(visit, await findLinkedAccount(ctx, tenant, sent.token, session));
}

const verifyForm = (
  visit: LinkVisit,
  account: LinkedAccount | null,
  status = 200,
  problem?: VerifyForm["problem"],
): ApiResponse =>
  linkPage(
    status,
    renderVerifyForm(lookFor(visit), {
      shop: visit.tenant.shop,
      token: visit.sent.token,
      passwordFor: account?.needsPassword ? account.email : null,
      problem,
    }),
  );

export async function showConsentForm(visit: LinkVisit): Promise<ApiResponse> {
  const { ctx, tenant, sent } = visit;
  const choice = await findPendingChoice(ctx, tenant, sent.token);
  return linkPage(
    200,
    renderConsentForm(lookFor(visit), { shop: tenant.shop, token: sent.token, choice }),
  );
}

export async function submitResetForm(visit: LinkVisit<Fields>): Promise<ApiResponse> {
  const { ctx, tenant, sent } = visit;
  const again = (status: number, problem: "password" | "busy") =>
    linkPage(
      status,
      renderResetForm(lookFor(visit), { shop: tenant.shop, token: sent.token ?? "", problem }),
    );
  const input = ResetInput.safeParse(sent);
  if (!input.success)
    return input.error.issues.some(({ path }) => path[0] === "token")
      ? notice(visit, 400, "badLink")
      : again(400, "password");
  try {
    await resetPassword(ctx, tenant, input.data);
    return linkPage(200, renderPasswordSaved(lookFor(visit), tenant.shop));
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "invalid_link") return notice(visit, 400, "badLink");
    return again(error.status, error.code === "busy" ? "busy" : "password");
  }
}

export async function submitVerifyForm(visit: LinkVisit<Fields>): Promise<ApiResponse> {
  const { ctx, request, tenant, sent } = visit;
  const input = VerifyEmailInput.safeParse(sent);
  if (!input.success) return notice(visit, 400, "badLink");
  const session = await findOwnPageSession(ctx, request, tenant);
  try {
    await verifyEmail(ctx, tenant, input.data, session);
    return notice(visit, 200, "verified");
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === "invalid_link") return notice(visit, 400, "badLink");
    const { token } = input.data;
    const account = await findLinkedAccount(ctx, tenant, token, session);
    const problem = error.code === "busy" ? "busy" : "password";
    const again = { ...visit, sent: { token, locale: sent.locale } };
    return verifyForm(again, account, error.status, problem);
  }
}

export const ConsentLinkInput = z.object({ token: z.string().max(500) });

export async function submitConsentForm(visit: LinkVisit<Fields>): Promise<ApiResponse> {
  const { ctx, tenant, sent } = visit;
  const input = ConsentLinkInput.safeParse(sent);
  if (!input.success) return notice(visit, 400, "badLink");
  try {
    await confirmConsent(ctx, tenant, input.data.token);
    return notice(visit, 200, "confirmed");
  } catch (error) {
    if (isAppError(error) && error.code === "invalid_link") return notice(visit, 400, "badLink");
    throw error;
  }
}
