// Removes credentials from an outgoing call and its response, before any of it is stored. Names
// that are not known to be harmless are hidden: an outside system may call its key anything.
const HIDDEN = "<hidden>";

/** Headers whose values neither identify a person nor open anything. Every other header keeps only its name. */
const SHOWN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "allow",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-length",
  "content-type",
  "date",
  "idempotency-key",
  "retry-after",
  "server",
  "user-agent",
  "x-request-id",
  "request-id",
  "x-correlation-id",
]);
const SHOWN_HEADER = /^(x-)?rate-?limit(-[a-z]+)*$/;

/** Query parameters that name a place and open nothing. */
const SHOWN_QUERY: ReadonlySet<string> = new Set([
  "sap-client",
  "sap-language",
  "measurement_id",
  "limit",
  "offset",
  "format",
  "$format",
  "api-version",
]);

const SECRET_NAME =
  /secret|token|passw|pwd|api[-_ ]?key|access[-_]?key|private[-_]?key|authorization|credential|signature|cookie|session[-_]?id|assertion|otp|bearer|basic /i;
/** Short names that are secrets in an address and words in a document. */
const SECRET_PARAMETER = /^(code|key|sig)$/i;

/** Strings and numbers of a JSON text that may be cut anywhere: it is scanned and not parsed. */
export const JSON_VALUE = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|-?\d[\d.eE+-]*/gs;
const PAIR = /([\w.$:[\]-]{1,80})=("?)([^&\s"'<>\\]*)/g;
const XML_ELEMENT = /<([^<>\s/]{1,80})([^<>]{0,200})>([^<]+)/g;
/** `Bearer x` and `Basic x` wherever they stand. */
const SCHEME = /\b(Bearer|Basic) [\w.~+/=-]{6,}/gi;
/** A long mix of both cases and digits in a path opens something: the address of a web hook, a pre-signed file. */
const MIN_SECRET_SEGMENT = 20;
const isSecretSegment = (segment: string) =>
  segment.length >= MIN_SECRET_SEGMENT &&
  [/^[\w~-]+$/, /[a-z]/, /[A-Z]/, /\d/].every((part) => part.test(segment));
const MIN_SECRET_LENGTH = 6;
/** A password may be short, because people choose it. */
const MIN_PASSWORD_LENGTH = 4;

type Headers = Readonly<Record<string, string | string[] | undefined>>;
export type HeaderLine = [name: string, value: string];

/** The address without user, password, mail addresses, and the values of unknown parameters. */
export function hideInUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return HIDDEN;
  const path = url.pathname
    .split("/")
    .map((segment) => (isSecretSegment(segment) || /@|%40/.test(segment) ? HIDDEN : segment))
    .join("/");
  const query = [...url.searchParams].map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${SHOWN_QUERY.has(name.toLowerCase()) ? encodeURIComponent(value) : HIDDEN}`,
  );
  return `${url.protocol}//${url.host}${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

const MAX_HEADERS = 40;
const MAX_HEADER_LENGTH = 200;

export const hideInHeaders = (headers: Headers): HeaderLine[] =>
  Object.entries(headers)
    .filter(([, value]) => value !== undefined)
    .slice(0, MAX_HEADERS)
    .map(([name, value]) => {
      const isShown =
        SHOWN_HEADERS.has(name.toLowerCase()) || SHOWN_HEADER.test(name.toLowerCase());
      return [name, isShown ? [value].flat().join(", ").slice(0, MAX_HEADER_LENGTH) : HIDDEN];
    });

type SentCall = {
  url: string;
  headers?: Headers;
  body?: string | Buffer;
  /** The body is a form with credentials in it. */
  exchangesCredentials?: boolean;
};

/**
 * What the call authenticates with, so that it is hidden also where a system repeats it in its
 * response: as it was sent, decoded, and in the escapes of JSON, addresses and HTML. Longest first,
 * so that no part of one remains.
 */
export function credentialsOf(call: SentCall): string[] {
  const url = URL.parse(call.url);
  const headers = Object.entries(call.headers ?? {})
    .filter(([name]) => !SHOWN_HEADERS.has(name.toLowerCase()))
    .flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => credentialsOfHeader(name.toLowerCase(), one)),
    );
  const query = url
    ? [...url.searchParams].flatMap(([name, value]) =>
        SHOWN_QUERY.has(name.toLowerCase()) ? [] : [value],
      )
    : [];
  const path = url?.pathname.split("/").filter(isSecretSegment) ?? [];
  const found = [...headers, ...query, ...path, ...credentialsOfForm(call)].filter(
    (value) => value.length >= MIN_SECRET_LENGTH,
  );
  const passwords = [...basicPasswords(call.headers ?? {}), percentDecoded(url?.password ?? "")];
  const all = [...found, ...passwords.filter((value) => value.length >= MIN_PASSWORD_LENGTH)];
  return [...new Set(all.flatMap(writtenForms))].sort((a, b) => b.length - a.length);
}

function credentialsOfHeader(name: string, value: string): string[] {
  const [scheme = "", token = ""] = value.split(" ", 2);
  if (name === "cookie") return [value, ...value.split("; ").map((pair) => afterFirst("=", pair))];
  return scheme.toLowerCase() === "basic"
    ? [value, token, Buffer.from(token, "base64").toString()]
    : [value, token];
}

const basicPasswords = (headers: Headers): string[] =>
  Object.values(headers)
    .flatMap((value) => [value ?? []].flat())
    .flatMap((value) => {
      const token = /^basic (\S+)/i.exec(value)?.[1] ?? "";
      const password = afterFirst(":", Buffer.from(token, "base64").toString());
      return [password, percentDecoded(password)];
    });

const afterFirst = (sign: string, text: string) =>
  text.includes(sign) ? text.slice(text.indexOf(sign) + 1) : "";

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const credentialsOfForm = ({ body, exchangesCredentials }: SentCall): string[] =>
  exchangesCredentials && typeof body === "string"
    ? [...new URLSearchParams(body)].flatMap(([name, value]) =>
        SECRET_NAME.test(name) || SECRET_PARAMETER.test(name) || name === "code_verifier"
          ? [value]
          : [],
      )
    : [];

function writtenForms(value: string): string[] {
  // Such a value is written the same way everywhere.
  if (/^[\w.-]+$/.test(value)) return [value];
  const json = JSON.stringify(value).slice(1, -1);
  return [
    value,
    json,
    json.replaceAll("/", "\\/"),
    // A lone surrogate cannot be encoded.
    encodeURIComponent(Buffer.from(value).toString()),
    new URLSearchParams({ v: value }).toString().slice(2),
    value.replace(/[&<>"']/g, (sign) => HTML_ESCAPES[sign] ?? sign),
  ];
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text of a response without what its own call authenticated with. */
export const hideSent = (text: string, call: SentCall): string =>
  text === "" ? text : hideValues(text, credentialsOf(call));

function hideValues(text: string, values: readonly string[]): string {
  let hidden = text;
  for (const value of values) hidden = hidden.replaceAll(value, HIDDEN);
  return hidden;
}

export function hideInText(text: string, credentials: readonly string[]): string {
  let hidden = hideValues(text, credentials);
  // Most texts name no secret and have no address: one look spares them the scans.
  if (SECRET_NAME.test(hidden))
    hidden = hideJsonFields(hidden)
      .replace(XML_ELEMENT, (element, name: string, attributes: string) =>
        SECRET_NAME.test(name) ? `<${name}${attributes}>${HIDDEN}` : element,
      )
      .replace(SCHEME, `$1 ${HIDDEN}`);
  if (!hidden.includes("=")) return hidden;
  return hidden.replace(PAIR, (pair, name: string, quote: string) =>
    SECRET_NAME.test(name) || SECRET_PARAMETER.test(name) ? `${name}=${quote}${HIDDEN}` : pair,
  );
}

/** Of a longer text only the beginning is compared. */
const MAX_NAME_CHARACTERS = 200;

/** Hides each JSON string that follows the name of a secret and a colon. */
function hideJsonFields(text: string): string {
  let before = { value: "", end: 0 };
  return text.replace(JSON_VALUE, (value: string, at: number) => {
    const isHidden =
      text.slice(before.end, at).trim() === ":" &&
      SECRET_NAME.test(before.value.slice(0, MAX_NAME_CHARACTERS));
    before = { value, end: at + value.length };
    return isHidden ? `"${HIDDEN}"` : value;
  });
}
