// Every method of every route declares its rate limit, or is listed here with the reason why it
// needs none.
import { beforeAll, describe, expect, test } from "vitest";
import { loadRoutes } from "../../app/http/route-table.ts";
import type { Auth } from "../../app/http/auth/schemes.ts";
import type { AnySpec } from "../../app/http/endpoint.ts";
import { RATE_LIMITS } from "../../app/domain/identity/rate-limits.ts";

/** Every call carries a secret or signature of the store, the platform or the backend. */
const PROVEN_BY_SECRET: readonly Auth[] = [
  "admin",
  "event_admin",
  "platform",
  "hmac",
  "flow",
  "staff",
  "event_source",
  "backend",
  "backend_key",
];

const WITHOUT_LIMIT: Record<string, readonly string[]> = {
  "counts by itself, because it answers a refusal in JSON-RPC": ["POST /a2a", "POST /mcp"],
  "counts a sign-in and an approval by itself, because it answers with a page": [
    "POST /oauth/authorize",
    "POST /oauth/authorize/:shop",
  ],
  "a session reads or changes its own few rows": [
    "POST /auth/logout",
    "GET /auth/me",
    "DELETE /auth/me",
    "GET /auth/profile",
    "PATCH /auth/profile",
    "DELETE /oauth/grants/:id",
    "GET /oauth/activity",
    "GET /oauth/grants",
    "POST /segment/assign",
    "GET /segment/current",
    "GET /tags/catalog",
    "GET /tags/mine",
    "GET /ucp/consent-history",
    "GET /ucp/consent-receipt/:consent_id",
  ],
  "comes back from a provider with a state that a limited start stored": [
    "GET /admin/storefront-callback",
    "GET /auth/callback",
    "GET /auth/federated/callback",
    "GET /auth/storefront/callback",
  ],
  "a page that writes nothing": [
    "GET /auth/consent-confirm",
    "GET /auth/password/reset",
    "GET /auth/verify-email",
    "GET /commerce/mandates/verify",
    "GET /embed/account",
    "GET /embed/compliance",
    "GET /embed/cookies",
    "GET /embed/dashboard",
    "GET /gdpr/export",
    "GET /oauth/authorize",
    "GET /oauth/authorize/:shop",
    "GET /privacy",
  ],
  "a public document that caches keep": [
    "GET /.well-known/agent-card.json",
    "GET /.well-known/gpc.json",
    "GET /.well-known/oauth-authorization-server",
    "GET /.well-known/oauth-authorization-server/:shop",
    "GET /.well-known/oauth-protected-resource",
    "GET /.well-known/oauth-protected-resource/:resource",
    "GET /.well-known/ucp",
    "GET /.well-known/ucp/:version",
    "GET /embed/account.js",
    "GET /embed/dashboard.js",
    "GET /embed/footer",
    "GET /embed/stack-bridge.js",
    "GET /embed/stack-loader.js",
    "GET /openapi.json",
  ],
  "what load balancers ask": ["GET /health", "GET /health/live", "GET /health/ready"],
};

/** Counted where the work is done, because only there it is known by what. */
const COUNTED_INSIDE = [
  "account_deleted_mail_per_email",
  "account_exists_mail_per_email",
  "agent_document_per_address",
  "consent_mail_per_address",
  "consent_mail_per_email",
  "consent_mail_per_store",
  "flow_actions_per_customer",
  "gate_code_per_address",
  "gate_key_per_address",
  "gate_mail_per_email",
  "gate_mail_per_pair",
  "new_tags_per_account",
  "new_tags_per_address",
  "new_tags_per_store",
  "sample_mail_per_email",
  "sign_up_mail_per_email",
  "storefront_checks_per_store",
  "test_mail_per_store",
  "test_mail_tries_per_store",
  "verify_mail_per_email",
  "welcome_mail_per_email",
];

let methods: { name: string; spec: AnySpec }[];
beforeAll(async () => {
  const { all } = await loadRoutes();
  methods = all.flatMap(({ path, endpoint }) =>
    Object.entries(endpoint.specs).map(([method, spec]) => ({ name: `${method} ${path}`, spec })),
  );
});

describe("the rate limits of the routes", () => {
  test("are declared on every public method, except those listed here", () => {
    const without = methods
      .filter(({ spec }) => !spec.rateLimit && !PROVEN_BY_SECRET.includes(spec.auth))
      .map(({ name }) => name);
    expect(without.toSorted()).toEqual(Object.values(WITHOUT_LIMIT).flat().toSorted());
  });

  test("name limits that have a number", () => {
    const named = methods.flatMap(({ spec }) => Object.keys(spec.rateLimit?.subjects ?? {}));
    expect(named.filter((name) => !(name in RATE_LIMITS))).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  test("count by something, and leave no limit without a count", () => {
    const subjects = methods.flatMap(({ name, spec }) =>
      spec.rateLimit ? [[name, Object.keys(spec.rateLimit.subjects)] as const] : [],
    );
    expect(subjects.filter(([, names]) => names.length === 0)).toEqual([]);
    const counted = new Set([...subjects.flatMap(([, names]) => names), ...COUNTED_INSIDE]);
    expect([...counted].toSorted()).toEqual(Object.keys(RATE_LIMITS).toSorted());
    const limitsOf = Object.fromEntries(subjects);
    for (const name of ["GET /auth/me/export", "POST /customer-account/export"])
      expect(limitsOf[name]).toContain("export_per_account");
  });
});
