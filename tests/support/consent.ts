// Grants, revokes and reads consents.
import { expect } from "vitest";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { writeCheckpoint } from "../../app/domain/consent/checkpoints.ts";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Answer,
  type Service,
  type ServiceOptions,
} from "./service.ts";

export const CONSENTS = ["tos", "privacy", "cookie", "marketing", "a2a", "ap2"] as const;

/** `archiveFolder`: where the checkpoints of its chain are. */
export type ConsentService = Service & { archiveFolder: string };

export async function startConsentService(options?: ServiceOptions): Promise<ConsentService> {
  const service = await startService(options);
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  return { ...service, archiveFolder: service.ctx.config.ARCHIVE_URL.replace("file:", "") };
}

export type Person = { token: string; id: number; email: string };

let people = 0;

export async function signUp(
  service: Service,
  fields: Record<string, unknown> = {},
  shop = SHOP,
): Promise<Person> {
  people += 1;
  const email = `person-${people}@example.com`;
  const answer = await service.call("POST", `/auth/signup?shop=${shop}`, {
    body: { email, password: "correct horse", consent_tos: true, consent_privacy: true, ...fields },
    key: null,
  });
  if (answer.status !== 201) throw new Error(`nobody signed up: ${answer.text}`);
  return { token: answer.json.token, id: answer.json.user.id, email: answer.json.user.email };
}

type SyncOptions = { shop?: string; headers?: Record<string, string> };

export function syncAs(
  service: Service,
  person: Person,
  body: object,
  { shop = SHOP, headers = {} }: SyncOptions = {},
): Promise<Answer> {
  return service.call("POST", `/auth/consent-sync?shop=${shop}`, {
    body: { method: "banner", ...body },
    key: person.token,
    headers,
  });
}

/** Calls as an anonymous browser on a page of the store. */
export function syncAnonymous(
  service: Service,
  body: object,
  { shop = SHOP, headers = {} }: SyncOptions = {},
): Promise<Answer> {
  return service.call("POST", `/auth/consent-sync?shop=${shop}`, {
    body: { method: "banner", ...body },
    key: null,
    headers: { Origin: RETURN_ORIGIN, ...headers },
  });
}

export type LogRow = {
  id: number;
  seq: string;
  user_id: number | null;
  visitor_id: string | null;
  consent_type: string;
  action: string;
  method: string;
  consent_version: string | null;
  consent_id: string;
  user_agent: string | null;
  ga_session_id: string | null;
  timestamp: string | null;
  form_type: string | null;
  source_page: string | null;
  policy_hash: string | null;
  gpc: boolean;
  prev_hash: string;
  hash: string;
  created_at: Date;
};

/** The rows in the server's order, oldest first. */
export const logOf = (service: Service, person: Person): Promise<LogRow[]> =>
  service.database.query<LogRow>("SELECT * FROM consent_records WHERE user_id = $1 ORDER BY seq", [
    person.id,
  ]);
export const logOfVisitor = (service: Service, visitorId: string): Promise<LogRow[]> =>
  service.database.query<LogRow>(
    "SELECT * FROM consent_records WHERE visitor_id = $1 ORDER BY seq",
    [visitorId],
  );
/** The rows that the sign-up did not write. */
export const saidLater = async (service: Service, person: Person): Promise<LogRow[]> =>
  (await logOf(service, person)).filter(({ method }) => method !== "signup");
export const inShort = (rows: { consent_type: string; action: string }[]): string[] =>
  rows.map((row) => `${row.consent_type} ${row.action}`);

export async function consentsOf(
  service: Service,
  person: Person,
): Promise<Record<string, boolean>> {
  return (await service.call("GET", "/auth/me", { key: person.token })).json.consents;
}

/**
 * Checks that every flag matches the last row of its person and consent, and that the store's chain
 * is valid.
 */
export async function expectAgreement(service: Service, shop = SHOP): Promise<void> {
  const disagreeing = await service.database.query(
    `SELECT c.user_id, f.type, f.flag, l.action FROM user_claims c
     CROSS JOIN LATERAL (VALUES ${CONSENTS.map((type) => `('${type}', c.consent_${type})`).join(", ")}) AS f(type, flag)
     LEFT JOIN LATERAL (SELECT action FROM consent_records r WHERE r.shop = c.shop
       AND r.user_id = c.user_id AND r.consent_type = f.type AND action IN ('granted', 'revoked')
       ORDER BY seq DESC LIMIT 1) AS l ON true
     WHERE c.shop = $1 AND f.flag IS DISTINCT FROM (coalesce(l.action, 'revoked') = 'granted')`,
    [shop],
  );
  expect(disagreeing).toEqual([]);
  const [count] = await service.database.query<{ rows: number; last: number }>(
    "SELECT count(*)::int AS rows, coalesce(max(seq), 0)::int AS last FROM consent_records WHERE shop = $1",
    [shop],
  );
  expect(count?.last).toBe(count?.rows);
  expect(await verify(service, shop)).toEqual({ ok: true, rows: count?.rows, problems: [] });
}

export type Problem = { id: number | null; seq: number; kind: string };

export async function verify(
  service: Service,
  shop = SHOP,
): Promise<{ ok: boolean; rows: number; problems: Problem[] }> {
  const answer = await service.call("GET", `/admin/consent/verify?shop=${shop}`);
  if (answer.status !== 200) throw new Error(`nothing was verified: ${answer.text}`);
  return answer.json;
}

export async function checkpoint(service: Service, shop = SHOP): Promise<boolean> {
  return writeCheckpoint(service.ctx, await getTenant(service.ctx, shop));
}

/** Changes rows as the database owner: the append-only trigger does not run in replica mode. */
export async function tamper(service: Service, ...statements: string[]): Promise<void> {
  await service.database.query(
    `BEGIN; SET LOCAL session_replication_role = replica; ${statements.join("; ")}; COMMIT`,
  );
}
