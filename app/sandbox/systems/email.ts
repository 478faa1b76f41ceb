/**
 * The sandbox mail provider: Resend's POST /emails
 * (resend.com/docs/api-reference/emails/send-email) with an inbox.
 */
import { createHash, randomUUID } from "node:crypto";
import { fieldsOf, json } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";
import { bareAddress, findMailProblem, recipientsOf, refusal } from "./email-validation.ts";

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
const KEY_LIFETIME_MS = 24 * 3600 * 1000;
const MAX_KEY_LENGTH = 256;

export function createEmail(state: EmailState, saving: Saving) {
  const send = (call: Call): ApiResponse => {
    const fields = fieldsOf(call.body);
    const problem = findMailProblem(fields);
    if (problem) return problem;
    const key = call.headers["idempotency-key"];
    const bodyHash = createHash("sha256").update(call.text).digest("hex");
    const earlier = typeof key === "string" ? answerToKey(key, bodyHash) : null;
    if (earlier) return earlier;
    const mail = toMail(fields);
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
    if (!used || Date.now() - used.at >= KEY_LIFETIME_MS) return null;
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
      if (call.method === "GET" && id !== undefined) return showMail(state, id);
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

function toMail(fields: Record<string, unknown>): SentMail {
  return {
    id: randomUUID(),
    at: new Date().toISOString(),
    from: String(fields["from"]),
    to: recipientsOf(fields["to"]),
    subject: String(fields["subject"]),
    html: typeof fields["html"] === "string" ? fields["html"] : null,
    text: typeof fields["text"] === "string" ? fields["text"] : null,
    headers: fieldsOf(fields["headers"]),
  };
}

function showMail({ inbox }: EmailState, id: string): ApiResponse {
  const mail = inbox.find((candidate) => candidate.id === id);
  return mail
    ? json(200, { object: "email", ...mail, created_at: mail.at, last_event: "delivered" })
    : refusal(404, "not_found", "Email not found");
}
