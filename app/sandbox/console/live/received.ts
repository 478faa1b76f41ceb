/** What a system received, in the few lines that a person reads. */
import { createHash } from "node:crypto";
import { fieldsOf, textOf } from "../../exchange.ts";
import type { SystemName } from "../../faults.ts";

/** Whom a run is about. */
export type Subject = { gid: string; name: string; email: string };

export type Received = {
  /** `PATCH /collections/…`: without the query, which may hold a secret. */
  line: string;
  fields: { name: string; value: string }[];
  /** What the body says about the person, checked against the body itself. */
  privacy: { isPersonal: boolean; text: string } | null;
  body: string;
};

export type SystemRequest = { method: string; path: string; body: unknown };

const MAX_FIELDS = 6;
const MAX_VALUE = 120;
const MAX_BODY = 6_000;

const emailHash = (email: string): string =>
  createHash("sha256").update(email.toLowerCase()).digest("hex");

/** The texts by which a request is known to be about the person. */
export const identifiersOf = ({ gid, email }: Subject): string[] => [
  gid.slice(gid.lastIndexOf("/") + 1),
  email,
  emailHash(email),
];

export function toReceived(
  system: SystemName,
  { method, path, body }: SystemRequest,
  subject: Subject | null,
): Received {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 2);
  return {
    line: `${method} ${path.split("?", 1)[0] ?? ""}`,
    fields: fieldsFor(system, fieldsOf(body)).slice(0, MAX_FIELDS),
    privacy: text === "" || !subject ? null : privacyOf(system, text, subject),
    body: text.slice(0, MAX_BODY),
  };
}

function privacyOf(system: SystemName, text: string, { email, name }: Subject) {
  const holds = (part: string) => part !== "" && text.toLowerCase().includes(part.toLowerCase());
  if (holds(email)) return { isPersonal: true, text: "Has the email address" };
  if (holds(name)) return { isPersonal: true, text: "Has the name" };
  if (holds(emailHash(email)))
    return { isPersonal: false, text: "Only a SHA-256 of the email address: no name, no address" };
  return system === "analytics" ? { isPersonal: false, text: "No name, no email address" } : null;
}

function fieldsFor(system: SystemName, body: Record<string, unknown>): Received["fields"] {
  switch (system) {
    case "cms":
      return plain(fieldsOf(body["fieldData"]));
    case "analytics": {
      const [event] = listOf(body["events"]).map(fieldsOf);
      return event
        ? [{ name: "event", value: textOf(event["name"]) }, ...plain(fieldsOf(event["params"]))]
        : [];
    }
    case "profilePlatform": {
      const entity = fieldsOf(fieldsOf(body["body"])["xdmEntity"]);
      const ids = Object.entries(fieldsOf(entity["identityMap"])).flatMap(([name, identities]) =>
        listOf(identities).map((identity) => ({ name, value: shown(fieldsOf(identity)["id"]) })),
      );
      const { collect, marketing } = fieldsOf(entity["consents"]);
      return [
        ...ids,
        { name: "consent, collect", value: shown(fieldsOf(collect)["val"]) },
        { name: "consent, email", value: shown(fieldsOf(fieldsOf(marketing)["email"])["val"]) },
      ];
    }
    case "email":
      return plain({ to: [body["to"]].flat().map(textOf).join(", "), subject: body["subject"] });
    case "storefront":
      return [
        {
          name: "operation",
          value: /\b(?:query|mutation)\s+(\w+)/.exec(shown(body["query"]))?.[1] ?? "query",
        },
        ...plain(fieldsOf(body["variables"])),
      ];
    default:
      return plain(body);
  }
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const shown = (value: unknown): string => {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : textOf(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

const plain = (fields: Record<string, unknown>): Received["fields"] =>
  Object.entries(fields)
    .filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => ({ name, value: shown(value) }));
