// Sets and clears the session in a response.
import type { Ctx } from "../../context.server.ts";
import type { Account } from "../../domain/identity/account.ts";
import { showUser } from "../../domain/identity/profile.ts";
import { SESSION_SECONDS } from "../../domain/identity/session/session-token.ts";
import { issueToken } from "../../domain/identity/session/sessions.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { json, type ApiResponse } from "../api-response.ts";
import { SESSION_COOKIE } from "../auth/session-guard.ts";

const ATTRIBUTES = "Path=/; HttpOnly; Secure; SameSite=None; Partitioned";

export const sessionCookie = (token: string) =>
  `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${SESSION_SECONDS}`;
export const CLEARED_SESSION_COOKIE = `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`;

/** `{token, user}` and the cookie. `at`: before the account was read. */
export async function sessionReply(
  ctx: Ctx,
  tenant: Tenant,
  account: Account,
  { status, at }: { status: 200 | 201; at?: Date },
): Promise<ApiResponse> {
  const token = issueToken(ctx, tenant, account, at);
  return json(
    status,
    { token, user: await showUser(ctx, tenant, account) },
    { "Set-Cookie": sessionCookie(token) },
  );
}
