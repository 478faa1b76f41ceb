/** How a client authenticates at the token endpoint (RFC 6749 2.3.1). */
import type { Call } from "../exchange.ts";
import type { OidcClient } from "./people.ts";

/** One announced method, never two; a public client sends its id and no secret. */
export function isClient(
  call: Call,
  fields: Record<string, unknown>,
  { client, authMethods }: { client: OidcClient; authMethods: string[] },
): boolean {
  const { clientId, clientSecret } = client;
  const { authorization } = call.headers;
  if (authorization === undefined) {
    const method = "client_secret" in fields ? "client_secret_post" : "none";
    return (
      authMethods.includes(method) &&
      fields["client_id"] === clientId &&
      (method === "none" || fields["client_secret"] === clientSecret)
    );
  }
  const basic = /^Basic (.+)$/i.exec(authorization)?.[1];
  if (basic === undefined || "client_secret" in fields) return false;
  const [id, secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
  return (
    authMethods.includes("client_secret_basic") &&
    (fields["client_id"] ?? clientId) === clientId &&
    formDecode(id) === clientId &&
    formDecode(secret) === clientSecret
  );
}

/** Both halves are form-encoded before they are joined. */
function formDecode(part: string | undefined): string {
  return new URLSearchParams(`v=${part ?? ""}`).get("v") ?? "";
}
