// The requests and errors of /oauth/* (RFC 6749): form bodies, and errors in OAuth's shape.
import { AppError } from "../../runtime/errors.ts";

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
  if (code === "unknown_client") return "invalid_client";
  if (status >= 500) return status === 503 ? "temporarily_unavailable" : "server_error";
  if (fields)
    return Object.keys(fields).some((field) => field.startsWith("redirect_uris"))
      ? "invalid_redirect_uri"
      : "invalid_client_metadata";
  return "invalid_request";
}

/** Errors of the grants API for the shopper: RFC 6750's code, with our own code for the page. */
export function toGrantError({ code, status, message, fields }: AppError): object {
  const name =
    status === 401 ? "invalid_token" : status >= 500 ? "server_error" : "invalid_request";
  return { error: name, error_description: message, code, message, ...(fields && { fields }) };
}

/** The parameters of a form, each allowed once; an empty one counts as missing (RFC 6749 3.2). */
export function readOAuthForm(raw: Buffer): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(raw.toString("utf8"))) {
    if (parameters.has(name) && name !== "resource")
      throw new AppError("malformed_request", { message: `${name} is given more than once.` });
    if (value) parameters.set(name, value);
  }
  return parameters;
}

export function requireField(form: Map<string, string>, name: string): string {
  const value = form.get(name);
  if (!value) throw new AppError("malformed_request", { message: `${name} is missing.` });
  return value;
}

/** Throws the error of a request whose body is JSON instead of a form. */
export function refuseJson(): never {
  throw new AppError("malformed_request", { message: "Send application/x-www-form-urlencoded." });
}
