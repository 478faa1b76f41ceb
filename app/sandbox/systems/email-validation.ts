/** What the mail provider refuses, in its own words (resend.com/docs/api-reference/errors). */
import { fieldsOf, json, type ApiResponse } from "../exchange.ts";

const MAX_RECIPIENTS = 50;
const ADDRESS = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(\.[^\s@<>"(),;:.]+)+$/;

/** The answer to a mail that is not accepted; null: it is. */
export function findMailProblem(fields: Record<string, unknown>): ApiResponse | null {
  for (const name of ["from", "to", "subject"]) {
    if (fields[name] === undefined || fields[name] === "")
      return refusal(422, "missing_required_field", `Missing \`${name}\` field.`);
  }
  if (fields["html"] === undefined && fields["text"] === undefined)
    return refusal(422, "missing_required_field", "Missing `html` or `text` field.");
  const addressForm =
    "The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.";
  if (!isAddress(fields["from"]))
    return refusal(422, "invalid_from_address", `Invalid \`from\` field. ${addressForm}`);
  const recipients = recipientsOf(fields["to"]);
  if (
    recipients.length === 0 ||
    recipients.length > MAX_RECIPIENTS ||
    !recipients.every(isAddress)
  ) {
    return refusal(422, "validation_error", `Invalid \`to\` field. ${addressForm}`);
  }
  // A line break in a header value would allow header injection.
  const isMultiline = (value: unknown): boolean =>
    typeof value !== "string" || /[\r\n]/.test(value);
  if (isMultiline(fields["subject"]))
    return refusal(422, "validation_error", "The `\\n` is not allowed in the `subject` field.");
  if (Object.values(fieldsOf(fields["headers"])).some(isMultiline))
    return refusal(422, "validation_error", "Header values must be single-line text.");
  return null;
}

export function recipientsOf(to: unknown): string[] {
  return Array.isArray(to) ? to.map(String) : [String(to)];
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && !/[\r\n]/.test(value) && ADDRESS.test(bareAddress(value));
}

export function bareAddress(value: string): string {
  return (/^[^<>]*<([^<>]+)>$/.exec(value.trim())?.[1] ?? value).trim();
}

export function refusal(statusCode: number, name: string, message: string): ApiResponse {
  return json(statusCode, { statusCode, name, message });
}
