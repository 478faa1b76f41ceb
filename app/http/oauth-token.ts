// The token endpoint's form, read as its grant type says.
import type { Ctx } from "../context.server.ts";
import { isOwnResource } from "../domain/agents/oauth-metadata.ts";
import { exchangeCode, refreshAccess, type TokenReply } from "../domain/agents/tokens.ts";
import type { Tenant } from "../domain/tenants/tenant.ts";
import { AppError } from "../runtime/errors.ts";
import { addressFor } from "./discovery.ts";
import type { Inbound } from "./inbound.ts";
import { readOAuthForm, requireField } from "./oauth.ts";

export function answerTokenForm(
  ctx: Ctx,
  inbound: Inbound,
  tenant: Tenant,
  raw: Buffer,
): Promise<TokenReply> {
  const form = readOAuthForm(raw);
  const grantType = requireField(form, "grant_type");
  // Public clients have nothing to prove: whoever sends a secret takes us for another server.
  const authorization = inbound.header("authorization");
  // RFC 6749 5.2: whoever proved itself by a header is answered in its scheme.
  if (authorization || form.has("client_secret") || form.has("client_assertion"))
    throw new AppError("invalid_client", {
      message: "Clients here are public and have no secret.",
      ...(authorization && {
        headers: {
          "WWW-Authenticate": `${/^bearer\b/i.test(authorization) ? "Bearer" : "Basic"} realm="oauth"`,
        },
      }),
    });
  const resource = form.get("resource");
  if (
    resource !== undefined &&
    !isOwnResource(ctx.baseUrl, addressFor(ctx, inbound, tenant), resource)
  )
    throw new AppError("invalid_target");
  switch (grantType) {
    case "authorization_code":
      return exchangeCode(ctx, tenant, {
        code: requireField(form, "code"),
        clientId: requireField(form, "client_id"),
        redirectUri: requireField(form, "redirect_uri"),
        verifier: form.get("code_verifier") ?? "",
      });
    case "refresh_token":
      return refreshAccess(ctx, tenant, {
        refreshToken: requireField(form, "refresh_token"),
        clientId: requireField(form, "client_id"),
        scope: form.get("scope"),
      });
    default:
      throw new AppError("unsupported_grant_type");
  }
}
