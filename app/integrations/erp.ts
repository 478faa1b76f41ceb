// The ERP (SAP-like OData service, JSON or XML). A gateway with CSRF protection answers the first
// write with 403 and `x-csrf-token: Required`; the client then fetches a token with its session
// cookie and sends the document again (help.sap.com, "CSRF Token Protection").
import type { Outbound, OutboundAnswer } from "../runtime/outbound/outbound.ts";
import { parseAnswer, toStatusError } from "../runtime/outbound/answers.ts";
import { OutboundError } from "../runtime/errors.ts";
import { withoutTrailingSlashes } from "../runtime/slashes.ts";
import { requireNoPage } from "./web-page.ts";

/** The time for all calls of one document together. */
const TIMEOUT_MS = 15_000;
/** The limit of a service document, which names every entity set. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

/** `system` is the calling channel, for logs and errors. */
export type ErpAccess = {
  system: "erpsys" | "erp_generic";
  baseUrl: string;
  username?: string | undefined;
  password?: string | undefined;
  about?: Record<string, unknown>;
};
type ErpDelivery = {
  path: string;
  contentType: "application/json" | "application/xml";
  body: string;
  idempotencyKey: string;
};

/**
 * Both methods throw an OutboundError: `status`, `timeout` after 15 s, `network`,
 * `refused_address`, or `malformed` for a web page.
 */
export type ErpClient = {
  /** POSTs one document to `path` below the base address, with `Idempotency-Key`. */
  post(access: ErpAccess, delivery: ErpDelivery): Promise<OutboundAnswer>;
  /**
   * GETs the OData service document at the base address; changes nothing. Throws `malformed` for a part of a
   * document; an empty response is accepted.
   */
  ping(access: ErpAccess): Promise<OutboundAnswer>;
};

/** Address and credentials come with each call: they are the tenant's. */
export function createErpClient({ outbound }: { outbound: Outbound }): ErpClient {
  return {
    async post(access, { path, contentType, body, idempotencyKey }) {
      const deadline = performance.now() + TIMEOUT_MS;
      const send = (
        method: "GET" | "POST",
        at: string,
        headers: Record<string, string>,
        content?: string,
      ) =>
        outbound.send({
          system: access.system,
          url: at,
          method,
          isTenantAddress: true,
          timeoutMs: Math.max(1, Math.ceil(deadline - performance.now())),
          headers: { ...authorization(access), Accept: contentType, ...headers },
          ...(content !== undefined && { body: content }),
          ...(access.about && { about: access.about }),
        });
      const headers = { "Content-Type": contentType, "Idempotency-Key": idempotencyKey };
      const url = addressOf(access, path);
      let answer = await send("POST", url, headers, body);
      if (wantsToken(answer)) {
        const fetched = await send("GET", addressOf(access, "/"), { "X-CSRF-Token": "Fetch" });
        answer = await send("POST", url, { ...headers, ...csrfHeaders(fetched) }, body);
      }
      if (answer.status < 200 || answer.status >= 300) throw toStatusError(access.system, answer);
      requireNoPage(access.system, answer);
      return answer;
    },
    async ping(access) {
      const answer = await outbound.call({
        system: access.system,
        url: addressOf(access, "/"),
        headers: { ...authorization(access), Accept: "application/json, application/xml" },
        isTenantAddress: true,
        maxAnswerBytes: MAX_DOCUMENT_BYTES,
        ...(access.about && { about: access.about }),
      });
      requireNoPage(access.system, answer);
      requireWhole(access.system, answer);
      return answer;
    },
  };
}

/** A gateway that breaks off in the middle of a document is no working connection. */
function requireWhole(system: string, answer: OutboundAnswer): void {
  const text = answer.text.trim();
  const type = headerOf(answer, "content-type") ?? "";
  if (text === "") return;
  // Trimmed, because JSON.parse rejects the byte order mark that some gateways begin with.
  if (/\bjson\b/i.test(type) || /^[{[]/.test(text)) parseAnswer(system, { ...answer, text });
  else if ((/\bxml\b/i.test(type) || text.startsWith("<")) && !isWholeXml(text))
    throw new OutboundError(system, "malformed", {
      message: `${system} answered something that is not XML, or more than the service reads`,
    });
}

/** Whether the text ends with the end of its first element. */
function isWholeXml(document: string): boolean {
  const text = withoutComments(document).trimEnd();
  const [, root] = /<([A-Za-z_][\w:.-]*)/.exec(text) ?? [];
  const lastTag = text.slice(text.lastIndexOf("<"));
  if (root === undefined || !lastTag.endsWith(">")) return false;
  const isEmptyElement =
    lastTag.endsWith("/>") && text.indexOf(`<${root}`) === text.lastIndexOf("<");
  return isEmptyElement || lastTag.slice(0, -1).trimEnd() === `</${root}`;
}

/** What stands in a comment is no element. Nothing stays behind the start of one without an end: the document was cut. */
function withoutComments(text: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    if (start < 0) return kept.join("") + text.slice(from);
    const end = text.indexOf("-->", start + 4);
    if (end < 0) return `${kept.join("")}<!--`;
    kept.push(text.slice(from, start));
    from = end + 3;
  }
}

/** Keeps the query of the base address: it names the SAP client (`?sap-client=100`). */
function addressOf({ baseUrl }: ErpAccess, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = withoutTrailingSlashes(url.pathname) + path;
  return url.href;
}

const authorization = ({ username, password }: ErpAccess): Record<string, string> =>
  username === undefined || password === undefined
    ? {}
    : { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };

const headerOf = (answer: OutboundAnswer, name: string): string | undefined =>
  [answer.headers[name] ?? []].flat()[0];
const wantsToken = (answer: OutboundAnswer) =>
  answer.status === 403 && headerOf(answer, "x-csrf-token")?.toLowerCase() === "required";

/** The token, and the session that it belongs to. */
function csrfHeaders(fetched: OutboundAnswer): Record<string, string> {
  const token = headerOf(fetched, "x-csrf-token");
  const session = [fetched.headers["set-cookie"] ?? []]
    .flat()
    .map((cookie) => cookie.split(";", 1)[0]);
  return {
    ...(token && { "X-CSRF-Token": token }),
    ...(session.length > 0 && { Cookie: session.join("; ") }),
  };
}
