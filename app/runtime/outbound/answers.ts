// What an answer of an outside system is taken for: JSON of a shape, or an error that knows whether a retry
// may help.
import type { z } from "zod";
import { OutboundError } from "../errors.ts";
import { hideInText } from "./hide-credentials.ts";
import type { OutboundAnswer } from "./outbound.ts";

const MAX_ERROR_LENGTH = 2_000;
/** What hides credentials reads more than is kept, so that none is cut before its end is seen. */
const READ_ERROR_LENGTH = 2 * MAX_ERROR_LENGTH;

/**
 * The error of an unexpected status; it knows whether a retry may help. Its body is kept in logs and
 * shown: it has no value under the name of a secret.
 */
export function toStatusError(system: string, answer: OutboundAnswer): OutboundError {
  const retryAfterMs = parseRetryAfter(answer.headers);
  return new OutboundError(system, "status", {
    status: answer.status,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    message: `${system} answered ${answer.status}`,
    body: hideInText(answer.text.slice(0, READ_ERROR_LENGTH), []).slice(0, MAX_ERROR_LENGTH),
  });
}

/** The status that the message of such an error names: where an error is stored, only that is kept. */
export const statusIn = (message: string): number | null => {
  const [, status] = /\banswered (\d{3})\b/.exec(message) ?? [];
  return status ? Number(status) : null;
};

/**
 * Seconds, which the storefront platform writes with a decimal (`2.0`), or a date. A date is compared with the
 * date of the same response: the clock of this machine may be wrong.
 */
function parseRetryAfter(headers: OutboundAnswer["headers"]): number | undefined {
  const text = firstOf(headers["retry-after"]);
  if (!text) return undefined;
  const sentAt = Date.parse(firstOf(headers.date) ?? "");
  const now = Number.isNaN(sentAt) ? Date.now() : sentAt;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const firstOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/**
 * The response as a JSON object or list; throws `malformed` for anything else, and for what is not of
 * the `schema`.
 */
export function parseAnswer<T>(system: string, answer: OutboundAnswer, schema?: z.ZodType<T>): T {
  const document = readDocument(answer.text);
  if (document === null)
    throw malformed(
      system,
      answer,
      `${system} answered something that is not JSON, or more than the service reads`,
    );
  const parsed = schema?.safeParse(document);
  if (parsed?.success === false)
    throw malformed(
      system,
      answer,
      `${system} answered something that is not what its API describes`,
    );
  return parsed ? parsed.data : (document as T);
}

const malformed = (system: string, { status }: OutboundAnswer, message: string): OutboundError =>
  new OutboundError(system, "malformed", { status: status >= 400 ? status : 502, message });

function readDocument(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}
