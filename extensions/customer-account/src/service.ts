// Calls the service, each time with the platform's current session token.
import { platform, t } from "./platform.ts";

declare const process: { env: { APP_URL: string } };

/** A value of the build: `shopify app dev` sets it, a deploy reads it from `.env`. */
function serviceUrl(): string {
  try {
    return process.env.APP_URL;
  } catch {
    throw new Error("The extension was built without APP_URL.");
  }
}

/** `code`: of the service's error; `offline` where it was not reached. */
export type Answer<T> = { ok: true; data: T } | { ok: false; code: string };

export async function call<T>(
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<Answer<T>> {
  try {
    const response = await fetch(`${serviceUrl().replace(/\/$/, "")}/customer-account${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${await platform.sessionToken.get()}`,
        ...(body && { "Content-Type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T & { code?: string };
    return response.ok
      ? { ok: true, data: answer }
      : { ok: false, code: answer.code ?? "internal_error" };
  } catch {
    return { ok: false, code: "offline" };
  }
}

const KNOWN = ["account_suspended", "too_many_requests", "offline"];
const NOT_REACHED = ["storefront_unavailable", "database_unavailable", "shutting_down"];

/** What the customer reads. */
export function reasonOf(code: string): string {
  if (NOT_REACHED.includes(code)) return t("errors.offline");
  return t(KNOWN.includes(code) ? `errors.${code}` : "errors.other");
}

export const CONSENT_TYPES = ["tos", "privacy", "cookie", "marketing", "a2a", "ap2"] as const;
export type Consent = {
  type: (typeof CONSENT_TYPES)[number];
  granted: boolean;
  state: "granted" | "declined" | "withdrawn" | "not_asked";
  decided_at: string | null;
  changeable: boolean;
};
export type Agent = {
  id: string;
  client_id: string;
  client_name: string;
  host: string | null;
  created_at: string;
  last_used_at: string | null;
  actions?: { what: string; changed: boolean; at: string }[];
};
export type Mandate = {
  mandate_id: string;
  max_amount: string;
  spent_amount: string;
  currency: string;
  scope: string;
  usage: "single" | "multi";
  agent_clients: string[] | null;
  status: "active" | "used" | "expired" | "revoked";
  expires_at: string;
};
export type Overview = {
  consents: Consent[];
  agents: Agent[];
  mandates: Mandate[];
  /** What is typed to delete. */
  confirmation: string;
};
export type ConsentRecord = {
  id: number;
  consent_type: string;
  action: string;
  method: string;
  consent_id: string;
  created_at: string;
  outcome?: "granted" | "declined" | "withdrawn" | null;
};
export type History = { records: ConsentRecord[]; next_cursor: string | null };
export type Receipt = {
  consentReceiptID: string;
  services: { purpose: string; chain: { seq: number; hash: string } }[];
};
