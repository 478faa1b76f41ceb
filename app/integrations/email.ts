// The email provider (Resend's API: resend.com/docs/api-reference/emails/send-email).
import type { Outbound, OutboundAnswer } from "../runtime/outbound/outbound.ts";
import { requireNoPage } from "./web-page.ts";

const SYSTEM = "email";

type EmailMessage = {
  from: string;
  to: string | string[];
  subject: string;
  text: string;
  html: string;
};

export type EmailClient = {
  /**
   * POST /emails: sends one mail; repeating it with the same `idempotencyKey` sends no second one.
   * Throws an OutboundError: `status`, `timeout` after 15 s, `network`, or `malformed` for a
   * web page.
   */
  send(
    access: { apiKey: string; idempotencyKey: string; about?: Record<string, unknown> },
    message: EmailMessage,
  ): Promise<OutboundAnswer>;
};

/** `apiUrl` has no trailing slash: https://api.resend.com, or the sandbox. */
export function createEmailClient({
  outbound,
  apiUrl,
}: {
  outbound: Outbound;
  apiUrl: string;
}): EmailClient {
  return {
    async send({ apiKey, idempotencyKey, about }, message) {
      const answer = await outbound.call({
        system: SYSTEM,
        url: `${apiUrl}/emails`,
        method: "POST",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
        },
        body: JSON.stringify({ ...message, to: [message.to].flat() }),
        ...(about && { about }),
      });
      requireNoPage(SYSTEM, answer);
      return answer;
    },
  };
}
