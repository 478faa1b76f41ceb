// What an endpoint answers.
export type Reply = {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
  /** How the text is packed when it is sent: until then it can be read. */
  encode?: (body: string) => Buffer;
};

/** The body as it is sent. */
export const encodedBody = ({ body, encode }: Reply): string | Buffer | undefined =>
  encode && typeof body === "string" ? encode(body) : body;

const IS_REPLY = Symbol.for("customer-identity-service.Reply");

function reply(status: number, headers: Reply["headers"], body?: string | Buffer): Reply {
  return Object.assign(
    { status, headers, ...(body !== undefined && { body }) },
    { [IS_REPLY]: true },
  );
}

export function isReply(value: unknown): value is Reply {
  return typeof value === "object" && value !== null && IS_REPLY in value;
}

export function json(status: number, body: unknown, headers: Reply["headers"] = {}): Reply {
  return reply(
    status,
    { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...headers },
    JSON.stringify(body),
  );
}

export function plain(
  status: number,
  contentType: string,
  body: string,
  headers: Reply["headers"] = {},
): Reply {
  return reply(status, { "Content-Type": contentType, ...headers }, body);
}

export function empty(status: number, headers: Reply["headers"] = {}): Reply {
  return reply(status, headers);
}

export function redirect(location: string, headers: Reply["headers"] = {}): Reply {
  return reply(302, { Location: location, "Cache-Control": "no-store", ...headers });
}
