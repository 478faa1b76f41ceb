import type en from "../locales/en.default.json";
import { platform } from "./platform.ts";

type Texts = typeof en;
type Key = { [K in keyof Texts]: Texts[K] extends string ? K : never }[keyof Texts];

export const text = (key: Key, values?: Record<string, string | number>): string =>
  platform.i18n.translate(key, values);

/** What the service names by a code; a code that this version does not know is shown as it is. */
const KNOWN = {
  consent: ["tos", "privacy", "cookie", "marketing", "a2a", "ap2"],
  decisions: ["granted", "declined", "withdrawn", "not_asked"],
  states: ["none", "delivered", "skipped", "waiting", "dead"],
  channels: [
    "cms",
    "storefront",
    "web_analytics",
    "profile_platform",
    "email",
    "flow",
    "erpsys",
    "erp_generic",
    "retail_analytics_a",
    "retail_analytics_b",
    "archive",
    "backend",
  ],
} as const satisfies { [L in keyof Texts]?: readonly (keyof Texts[L])[] };

export const nameOf = (list: keyof typeof KNOWN, code: string): string =>
  (KNOWN[list] as readonly string[]).includes(code)
    ? platform.i18n.translate(`${list}.${code}`)
    : code;

const CHANGES = {
  consent: ["granted", "declined", "withdrawn"],
  tag: ["added", "removed"],
  delivery: ["delivered", "waiting", "failed"],
  agent: ["linked", "ended"],
  mandate: ["created", "used", "revoked", "expired"],
  privacy: ["data_request", "customer_redact"],
  access: ["changed", "exported", "erased"],
} as const satisfies { [K in keyof Texts["change"]]: readonly (keyof Texts["change"][K])[] };

type Event = { kind: string; change: string; subject: string | null };

export function eventText({ kind, change, subject }: Event): string {
  const known: readonly string[] = CHANGES[kind as keyof typeof CHANGES] ?? [];
  if (!known.includes(change)) return text("other");
  const named = kind === "consent" ? nameOf("consent", subject ?? "") : (subject ?? "");
  return platform.i18n.translate(`change.${kind}.${change}`, { subject: named });
}

/** The admin shows times in the store's zone, wherever the reader is. */
export const when = (iso: string, timeZone: string): string =>
  platform.i18n.formatDate(new Date(iso), { dateStyle: "medium", timeStyle: "short", timeZone });
