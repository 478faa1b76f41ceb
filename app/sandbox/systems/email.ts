/**
 * The sandbox mail provider: Resend's POST /emails
 * (resend.com/docs/api-reference/emails/send-email) with an inbox.
 */
import { createHash, randomUUID } from "node:crypto";
import { fieldsOf, json } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type SentMail = {
  id: string;
  at: string;
  from: string;
  to: string[];
  subject: string;
  html: string | null;
  text: string | null;
  headers: Record<string, unknown>;
};
export type EmailState = {
  inbox: SentMail[];
  idempotencyKeys: Record<string, { id: string; bodyHash: string; at: number }>;
};

const MAX_KEPT_MAILS = 500;
const MAX_RECIPIENTS = 50;
const IDEMPOTENCY_MS = 24 * 3600 * 1000;
const MAX_KEY_LENGTH = 256;
const ADDRESS = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(\.[^\s@<>"(),;:.]+)+$/;

export function createEmail(state: EmailState, saving: Saving) {
  const send = (call: Call): ApiResponse => {
    const fields = fieldsOf(call.body);
    const problem = findProblem(fields);
    if (problem) return problem;
    const key = call.headers["idempotency-key"];
    const bodyHash = createHash("sha256").update(call.text).digest("hex");
    const earlier = typeof key === "string" ? answerToKey(key, bodyHash) : null;
    if (earlier) return earlier;
    const mail: SentMail = {
      id: randomUUID(),
      at: new Date().toISOString(),
      from: String(fields["from"]),
      to: recipientsOf(fields["to"]),
      subject: String(fields["subject"]),
      html: typeof fields["html"] === "string" ? fields["html"] : null,
      text: typeof fields["text"] === "string" ? fields["text"] : null,
      headers: fieldsOf(fields["headers"]),
    };
    state.inbox.push(mail);
    if (state.inbox.length > MAX_KEPT_MAILS)
      state.inbox.splice(0, state.inbox.length - MAX_KEPT_MAILS);
    if (typeof key === "string")
      state.idempotencyKeys[key] = { id: mail.id, bodyHash, at: Date.now() };
    saving.soon();
    return json(200, { id: mail.id });
  };

  /** Null for a key that was not used within a day. */
  const answerToKey = (key: string, bodyHash: string): ApiResponse | null => {
    if (key === "" || key.length > MAX_KEY_LENGTH)
      return refusal(
        400,
        "invalid_idempotency_key",
        `The key must be between 1-${MAX_KEY_LENGTH} chars.`,
      );
    const used = Object.hasOwn(state.idempotencyKeys, key) ? state.idempotencyKeys[key] : undefined;
    if (!used || Date.now() - used.at >= IDEMPOTENCY_MS) return null;
    return used.bodyHash === bodyHash
      ? json(200, { id: used.id })
      : refusal(
          409,
          "invalid_idempotent_request",
          "Same idempotency key used with a different request payload.",
        );
  };

  return {
    handle(call: Call): ApiResponse {
      if (!/^Bearer \S+$/.test(call.headers.authorization ?? "")) {
        return refusal(
          401,
          "missing_api_key",
          "Missing API key in the authorization header. Include the following header in the request: Authorization: Bearer API_KEY",
        );
      }
      const id = /^\/emails\/([^/]+)$/.exec(call.path)?.[1];
      if (call.method === "GET" && id !== undefined) {
        const mail = state.inbox.find((candidate) => candidate.id === id);
        return mail
          ? json(200, { object: "email", ...mail, created_at: mail.at, last_event: "delivered" })
          : refusal(404, "not_found", "Email not found");
      }
      if (call.path !== "/emails")
        return refusal(404, "not_found", "The requested endpoint does not exist");
      return call.method === "POST"
        ? send(call)
        : refusal(405, "method_not_allowed", "Method is not allowed for the requested path");
    },
    /** Oldest first. */
    inbox: (): SentMail[] => [...state.inbox],
    mailsTo: (address: string): SentMail[] =>
      state.inbox.filter(({ to }) =>
        to.some((one) => bareAddress(one).toLowerCase() === address.toLowerCase()),
      ),
    clearInbox(): void {
      state.inbox.length = 0;
      saving.soon();
    },
  };
}

function findProblem(fields: Record<string, unknown>): ApiResponse | null {
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

function recipientsOf(to: unknown): string[] {
  return Array.isArray(to) ? to.map(String) : [String(to)];
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && !/[\r\n]/.test(value) && ADDRESS.test(bareAddress(value));
}

function bareAddress(value: string): string {
  return (/^[^<>]*<([^<>]+)>$/.exec(value.trim())?.[1] ?? value).trim();
}

function refusal(statusCode: number, name: string, message: string): ApiResponse {
  return json(statusCode, { statusCode, name, message });
}
