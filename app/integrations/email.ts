// The e-mail provider (Resend-like: `POST /emails`, bearer key, `Idempotency-Key`).
import type { Outbound, OutboundAnswer } from "../runtime/outbound.ts";

type EmailMessage = {
  from: string;
  to: string | string[];
  subject: string;
  text: string;
  html: string;
};

export type EmailClient = {
  /** The same `idempotencyKey` twice sends one mail. */
  send(
    access: { apiKey: string; idempotencyKey: string; about?: Record<string, unknown> },
    message: EmailMessage,
  ): Promise<OutboundAnswer>;
};

export function createEmailClient({
  outbound,
  apiUrl,
}: {
  outbound: Outbound;
  apiUrl: string;
}): EmailClient {
  return {
    send: ({ apiKey, idempotencyKey, about }, message) =>
      outbound.call({
        system: "email",
        url: `${apiUrl}/emails`,
        method: "POST",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
        },
        body: JSON.stringify({ ...message, to: [message.to].flat() }),
        ...(about && { about }),
      }),
  };
}
