// Reads the token endpoint's form by its grant type.
import type { Ctx } from "../../context.server.ts";
import { isOwnResource } from "../../domain/agents/oauth/metadata.ts";
import { exchangeCode, refreshAccess, type TokenReply } from "../../domain/agents/oauth/tokens.ts";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { addressFor } from "./discovery.ts";
import type { ApiRequest } from "../api-request.ts";
import { readOAuthForm, requireField } from "./oauth.ts";

export function answerTokenForm(
  ctx: Ctx,
  request: ApiRequest,
  tenant: Tenant,
  raw: Buffer,
): Promise<TokenReply> {
  const form = readOAuthForm(raw);
  const grantType = requireField(form, "grant_type");
  // Public clients have no secret: a client that sends one is configured for another server.
  const authorization = request.header("authorization");
  // RFC 6749 5.2: a client that authenticated by a header receives the error in that scheme.
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
    !isOwnResource(ctx.baseUrl, addressFor(ctx, request, tenant), resource)
  )
    throw new AppError("invalid_target");
  switch (grantType) {
    case "authorization_code":
      return exchangeCode(ctx, tenant, {
        code: requireField(form, "code"),
        clientId: requireField(form, "client_id"),
        redirectUri: form.get("redirect_uri"),
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
