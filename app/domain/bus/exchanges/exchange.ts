// What was sent at one attempt and what was answered: the last call, without its credentials. Sealed
// with the store's name and the attempt's token, so that it cannot be opened as another store's or
// another attempt's.
import type { Ctx } from "../../../context.server.ts";
import type { Recording } from "../../../runtime/outbound/exchange-recorder.ts";
import {
  credentialsOf,
  hideInHeaders,
  hideInText,
  hideInUrl,
  type HeaderLine,
} from "../../../runtime/outbound/hide-credentials.ts";
import type { QueueItem } from "../channel.ts";

const MAX_BODY_BYTES = 4_096;
const MAX_CREDENTIAL_LENGTH = 2_048;
/** What hides credentials reads more than is kept, so that none is cut before its end is seen. */
const READ_LENGTH = MAX_BODY_BYTES + MAX_CREDENTIAL_LENGTH;

export type ExchangeBody = {
  text: string;
  /** The length of what was sent or read. */
  bytes: number;
  isCut: boolean;
};
export type Exchange = {
  at: string;
  /** How many calls the attempt made; this is the last one. */
  calls: number;
  request: { method: string; url: string; headers: HeaderLine[]; body: ExchangeBody };
  /** Null when no complete response came: then `failure` says why. */
  response: { status: number; headers: HeaderLine[]; body: ExchangeBody } | null;
  failure: string | null;
  latency_ms: number;
};

const sealContext = (shop: string, token: string) => `${shop}/delivery_exchange/${token}`;

/** Null when the attempt called no system. */
export function sealExchange(
  ctx: Ctx,
  item: Pick<QueueItem, "shop" | "attemptToken">,
  recording: Recording,
): string | null {
  const exchange = toExchange(recording);
  return (
    exchange &&
    ctx.secrets.seal(sealContext(item.shop, item.attemptToken), JSON.stringify(exchange))
  );
}

/** Throws for a row that was altered or belongs to another store or attempt. */
export const openExchange = (ctx: Ctx, shop: string, row: { token: string; sealed: string }) =>
  JSON.parse(ctx.secrets.unseal(sealContext(shop, row.token), row.sealed)) as Exchange;

function toExchange({ last, calls }: Recording): Exchange | null {
  if (!last) return null;
  const { call, answer } = last;
  const headers = call.headers ?? {};
  const credentials = credentialsOf(call);
  return {
    at: last.startedAt.toISOString(),
    calls,
    request: {
      method: call.method ?? "GET",
      url: hideInUrl(call.url),
      headers: hideInHeaders(headers),
      body: toBody(call.body ?? "", credentials),
    },
    response: answer && {
      status: answer.status,
      headers: hideInHeaders(answer.headers),
      body: toBody(answer.text, credentials),
    },
    failure: last.failure,
    latency_ms: last.latencyMs,
  };
}

function toBody(body: string | Buffer, credentials: readonly string[]): ExchangeBody {
  const start = typeof body === "string" ? body : body.toString("utf8", 0, 4 * READ_LENGTH);
  const isLong = start.length > READ_LENGTH;
  const hidden = hideInText(start.slice(0, READ_LENGTH), credentials);
  // The end may be half a credential.
  const safe = isLong ? hidden.slice(0, -MAX_CREDENTIAL_LENGTH) : hidden;
  const text = cut(safe);
  const bytes = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  return { text, bytes, isCut: isLong || text.length < safe.length };
}

/** At most so many bytes, without half a character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BODY_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, MAX_BODY_BYTES), { stream: true });
}
