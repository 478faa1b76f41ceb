// No response may contain a URL with a signature or a token, in a page or a redirect, because its
// reader could act as the sender. Every page and redirect of the service passes here, endpoints and
// screens alike. A finding is a bug of the page that wrote the URL: under tests it throws, in
// production it is redacted and logged.
import type { Ctx } from "../context.server.ts";
import type { ApiResponse } from "./api-response.ts";

/** Query parameters that authenticate a request: the platform's signatures, and tokens. */
export const SECRET_PARAMETERS = [
  "signature",
  "hmac",
  "id_token",
  "access_token",
  "refresh_token",
  "session_token",
] as const;
/** Query parameters of our own URLs that authenticate a request. */
const OWN_PARAMETERS = ["key"] as const;
const MIN_SECRET = 16;

const ADDRESS_HEADERS = [
  "Location",
  "Link",
  "Refresh",
  "X-Shopify-API-Request-Failure-Reauthorize-Url",
];
const PAGE_TYPES = /^text\/(?:html|x-script)\b/i;
const REDACTED = "redacted";
const OF_REQUEST = "a secret of the request";

// A URL inside a page may be escaped for HTML, for a script, or for another URL, several times.
// Linear: the delimiter before a name, the name and the delimiter after it start with different
// characters.
const BEFORE = String.raw`[?&;#]|%(?:25){0,3}(?:3f|26|23)|\\u00(?:3f|26|23)`;
const EQUALS = String.raw`=|%(?:25){0,3}3d|\\u003d|&#61;|&#x3d;`;
const IN_ADDRESS = new RegExp(
  String.raw`((?:${BEFORE})(${SECRET_PARAMETERS.join("|")})(?:${EQUALS}))[^\s"'<>&;#\\%]+`,
  "gi",
);

/** Secrets of the request itself, which no response may repeat anywhere. */
function secretsOf(query: URLSearchParams): string[] {
  return [...SECRET_PARAMETERS, ...OWN_PARAMETERS]
    .flatMap((name) => query.getAll(name))
    .filter((value) => value.length >= MIN_SECRET);
}

type Guard = { clean(text: string): string; found: Set<string> };

function createGuard(secrets: readonly string[]): Guard {
  const found = new Set<string>();
  return {
    found,
    clean(text) {
      let cleaned = text.replace(IN_ADDRESS, (_, address: string, name: string) => {
        found.add(name.toLowerCase());
        return address + REDACTED;
      });
      for (const secret of secrets)
        for (const written of new Set([secret, encodeURIComponent(secret)]))
          if (cleaned.includes(written)) {
            found.add(OF_REQUEST);
            cleaned = cleaned.replaceAll(written, REDACTED);
          }
      return cleaned;
    },
  };
}

function report(ctx: Ctx, { found }: Guard, path: string): void {
  if (found.size === 0) return;
  const names = [...found].join(", ");
  if (ctx.config.isTest) throw new Error(`the answer of ${path} holds ${names}`);
  ctx.log.warn("answer.redacted", { path, found: names });
  found.clear();
}

/**
 * Guards an endpoint's response. Changes the response; throws under tests.
 *
 * A response that is made from the address alone is not searched for the request's own secrets: it
 * was made without them, and a caller could take any text out of it by naming that text a secret.
 */
export function guardApiResponse(ctx: Ctx, url: URL, reply: ApiResponse): ApiResponse {
  const isPage = PAGE_TYPES.test(String(reply.headers["Content-Type"] ?? ""));
  const isText = typeof reply.body === "string";
  const secrets = url.search && !reply.isOfAddress ? secretsOf(url.searchParams) : [];
  if (!isPage && secrets.length === 0 && !reply.headers.Location && !reply.headers.Link)
    return reply;
  const guard = createGuard(secrets);
  for (const name of ADDRESS_HEADERS) {
    const value = reply.headers[name];
    if (typeof value === "string") reply.headers[name] = guard.clean(value);
  }
  if (isText && (isPage || secrets.length > 0)) reply.body = guard.clean(reply.body as string);
  if (guard.found.size > 0) keepOutOfCaches(reply);
  if (isPage && guard.found.has(OF_REQUEST)) withhold(reply);
  report(ctx, guard, url.pathname);
  return reply;
}

/** What was redacted for one caller is for nobody else, and its ETag is that of another text. */
function keepOutOfCaches({ headers }: ApiResponse): void {
  headers["Cache-Control"] = "private, no-store";
  delete headers.ETag;
  delete headers["Last-Modified"];
}

/**
 * A page with something missing would be a caller's to write: a link can name a warning of the page,
 * or a host on it, as a secret.
 */
function withhold(reply: ApiResponse): void {
  reply.status = 400;
  reply.headers["Content-Type"] = "text/plain; charset=utf-8";
  reply.body = "The address of this page has a parameter that does not belong to it.";
}

/**
 * Guards a screen's response while it is streamed. Throws under tests, for the body inside the
 * stream.
 *
 * A token has no spaces, so a text with spaces is never cut out: a link could remove a warning by naming it
 * a secret. The page as a whole cannot be withheld, because its beginning was sent.
 */
export function guardResponse(ctx: Ctx, url: URL, response: Response): Response {
  const guard = createGuard(secretsOf(url.searchParams).filter((value) => !/\s/.test(value)));
  const guarded = new Response(
    response.body && PAGE_TYPES.test(response.headers.get("content-type") ?? "")
      ? response.body.pipeThrough(guardStream(ctx, guard, url.pathname))
      : response.body,
    response,
  );
  for (const name of ADDRESS_HEADERS) {
    const value = guarded.headers.get(name);
    if (value !== null) guarded.headers.set(name, guard.clean(value));
  }
  report(ctx, guard, url.pathname);
  return guarded;
}

/** A URL ends before these characters, so a text may be split after them. */
const CUTS = ['"', "'", "<", ">", " ", "\n"];
const MAX_HELD = 256 * 1024;

function guardStream(
  ctx: Ctx,
  guard: Guard,
  path: string,
): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let held = "";
  const pass = (text: string, controller: TransformStreamDefaultController<Uint8Array>) => {
    if (text === "") return;
    const cleaned = guard.clean(text);
    report(ctx, guard, path);
    controller.enqueue(encoder.encode(cleaned));
  };
  return new TransformStream({
    transform(chunk, controller) {
      held += decoder.decode(chunk, { stream: true });
      const end =
        held.length > MAX_HELD
          ? held.length
          : Math.max(...CUTS.map((sign) => held.lastIndexOf(sign))) + 1;
      pass(held.slice(0, end), controller);
      held = held.slice(end);
    },
    flush(controller) {
      pass(held + decoder.decode(), controller);
    },
  });
}
