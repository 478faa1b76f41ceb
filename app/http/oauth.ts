// How /oauth/* speaks (RFC 6749): forms come in, and errors go out in its own shape.
import { AppError } from "../runtime/errors.ts";

const OWN_NAMES = new Set<string>([
  "invalid_grant",
  "invalid_scope",
  "invalid_target",
  "invalid_redirect_uri",
  "invalid_client_metadata",
  "invalid_client",
  "unauthorized_client",
  "unsupported_grant_type",
]);

/** The body of RFC 6749 5.2; a wrong field of a registration has its name from RFC 7591 3.2.2. */
export function toOAuthError(error: AppError): object {
  return {
    error: nameOf(error),
    error_description: error.fields
      ? Object.entries(error.fields)
          .map(([field, reason]) => `${field} ${reason}`)
          .join("; ")
      : error.message,
  };
}

function nameOf({ code, status, fields }: AppError): string {
  if (OWN_NAMES.has(code)) return code;
  if (status >= 500) return status === 503 ? "temporarily_unavailable" : "server_error";
  if (fields)
    return Object.keys(fields).some((field) => field.startsWith("redirect_uris"))
      ? "invalid_redirect_uri"
      : "invalid_client_metadata";
  return "invalid_request";
}

/** Of the grants as their owner sees them: named as RFC 6750 names it, with our own code beside it for the page that asks. */
export function toGrantError({ code, status, message, fields }: AppError): object {
  const name =
    status === 401 ? "invalid_token" : status >= 500 ? "server_error" : "invalid_request";
  return { error: name, error_description: message, code, message, ...(fields && { fields }) };
}

/** The parameters of a form, each said once; an empty one counts as left out (RFC 6749 3.2). */
export function readOAuthForm(raw: Buffer): Map<string, string> {
  const said = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(raw.toString("utf8"))) {
    if (said.has(name) && name !== "resource")
      throw new AppError("malformed_request", { message: `${name} is said more than once.` });
    if (value) said.set(name, value);
  }
  return said;
}

export function requireField(form: Map<string, string>, name: string): string {
  const value = form.get(name);
  if (!value) throw new AppError("malformed_request", { message: `${name} is missing.` });
  return value;
}

/** For JSON, where a form is meant. */
export function refuseJson(): never {
  throw new AppError("malformed_request", { message: "Send application/x-www-form-urlencoded." });
}
