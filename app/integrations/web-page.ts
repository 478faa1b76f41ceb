// A gateway in front of a system answers 200 with a page for people when it wants a login or is closed.
import { OutboundError } from "../runtime/errors.ts";
import type { OutboundAnswer } from "../runtime/outbound/outbound.ts";

const PAGE = /<(!doctype\s{1,5}html|html)\b/i;
const HEAD_LENGTH = 1_000;

/**
 * Throws `malformed` for a web page. The type alone is none: small services leave it at the default of
 * their language.
 */
export function requireNoPage(system: string, answer: OutboundAnswer): void {
  const type = [answer.headers["content-type"]].flat()[0] ?? "";
  if (/html/i.test(type) && PAGE.test(answer.text.slice(0, HEAD_LENGTH)))
    throw new OutboundError(system, "malformed", {
      status: 502,
      message: `${system} answered something that is not a document, but a page for people`,
    });
}
