// An exchange as it is shown before somebody asks for its content: the form stays, the values do not.
// Anything may be a person's, so that only values under names that are known to be harmless are shown.
import { JSON_VALUE } from "../../../runtime/outbound/hide-credentials.ts";
import type { Exchange, ExchangeBody } from "./exchange.ts";

const MASK = "•••";

const HARMLESS: ReadonlySet<string> = new Set([
  "action",
  "code",
  "currency",
  "currencycode",
  "error_code",
  "errorcode",
  "event",
  "event_type",
  "kind",
  "language",
  "method",
  "ok",
  "severity",
  "status",
  "statuscode",
  "success",
  "type",
]);
const FIELD_NAME = /^[a-z_$][\w$.:-]{0,60}$/i;
const HARMLESS_VALUE = /^[\w .:-]{0,40}$/;

const MARKUP_TEXT = />[^<]+/g;
const ATTRIBUTE = /="[^"<>]*"?/g;

export const maskExchange = (exchange: Exchange): Exchange => ({
  ...exchange,
  request: { ...exchange.request, body: maskBody(exchange.request.body) },
  response: exchange.response && {
    ...exchange.response,
    body: maskBody(exchange.response.body),
  },
});

const maskBody = (body: ExchangeBody): ExchangeBody => ({ ...body, text: maskText(body.text) });

export function maskText(text: string): string {
  const start = text.trimStart();
  if (start === "") return "";
  if (start.startsWith("{") || start.startsWith("[")) return maskJson(text);
  if (start.startsWith("<"))
    return text
      .replace(ATTRIBUTE, `="${MASK}"`)
      .replace(MARKUP_TEXT, (found) => (found.trim() === ">" ? found : `>${MASK}`));
  return MASK;
}

/** Field names stay, except those that could be a value; a string before a colon is a name. */
function maskJson(text: string): string {
  let name = "";
  return text.replace(JSON_VALUE, (token, at: number) => {
    const inner = token.startsWith('"')
      ? token.slice(1, token.endsWith('"') ? -1 : undefined)
      : token;
    if (
      token.startsWith('"') &&
      /^\s{0,10}:/.test(text.slice(at + token.length, at + token.length + 11))
    ) {
      name = inner.toLowerCase();
      return FIELD_NAME.test(inner) ? token : `"${MASK}"`;
    }
    if (HARMLESS.has(name) && HARMLESS_VALUE.test(inner)) return token;
    return token.startsWith('"') ? `"${MASK}"` : MASK;
  });
}
