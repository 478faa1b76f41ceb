// A stored request as a command for a shell. Everything is quoted: what a system was sent is not
// ours to trust. Credentials stay placeholders.
import type { Exchange } from "../../../domain/bus/exchanges/exchange.ts";

/** Within single quotes a shell reads nothing but the quote itself. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** A line break in a header would end it. */
const oneLine = (text: string): string => text.replace(/[\r\n\u0000]+/g, " ");

export function toCurl({ method, url, headers, body }: Exchange["request"]): string {
  return [
    `curl --globoff --request ${quote(oneLine(method))}`,
    `--url ${quote(oneLine(url))}`,
    ...headers
      .filter(([name]) => name.toLowerCase() !== "content-length")
      .map(([name, value]) => `--header ${quote(oneLine(`${name}: ${value}`))}`),
    ...(body.text === "" ? [] : [`--data-raw ${quote(body.text.replaceAll("\u0000", ""))}`]),
  ].join(" \\\n  ");
}
