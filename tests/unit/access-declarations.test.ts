// Every route that can show or change a customer's data records it in the access log, or is listed
// here with the reason why it does not.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Auth } from "../../app/http/auth/schemes.ts";
import type { AnySpec } from "../../app/http/endpoint.ts";
import { routePatternOf } from "../../app/http/access/route-pattern.ts";
import { loadRoutes } from "../../app/http/route-table.ts";
import { root } from "../support/source-files.ts";

/** Callers that act for themselves alone, and systems that send data. */
const GET_NOBODYS_DATA: readonly Auth[] = [
  "none",
  "visitor",
  "hmac",
  "flow",
  "event_source",
  "backend",
  "backend_key",
];

const ENDPOINTS_WITHOUT_ACCESS: Record<string, readonly string[]> = {
  "settings and credentials of a store or of the service": [
    "GET /config",
    "POST /config",
    "GET /platform/config",
    "POST /platform/config",
    "GET /admin/tenants",
    "POST /admin/provision-region",
    "POST /admin/move-tenant",
    "GET /admin/moves/:id",
    "DELETE /admin/moves/:id",
    "POST /admin/storefront-refresh",
    "GET /admin/storefront-test",
    "GET /admin/public-hosts",
    "POST /admin/public-hosts",
    "GET /admin/scheduled-run",
    "POST /admin/scheduled-run",
    "GET /metrics",
  ],
  "events and deliveries without their payloads": [
    "GET /admin/events/status",
    "GET /admin/events/log",
    "POST /admin/events/replay",
    "GET /admin/destinations",
    "PUT /admin/destinations",
    "POST /admin/destinations/:channel/probe",
  ],
  "registries of products": [
    "GET /admin/upc-mappings",
    "PUT /admin/upc-mappings",
    "GET /admin/firmware",
    "PUT /admin/firmware/:mpn",
    "GET /admin/mappings/:channel/:entity_type",
    "PUT /admin/mappings/:channel/:entity_type",
  ],
  "tags and policies of the store, and counts": [
    "GET /tags/catalog",
    "POST /admin/init-tag-system",
    "POST /admin/consent/policies",
    "GET /admin/consent/verify",
  ],
  "counts of a segment and of a run over it": [
    "GET /extensions/admin/segment",
    "GET /extensions/admin/segment-runs/:id",
  ],
  "sends what is stored to the CMS, and shows counts": ["POST /sync/cms"],
  "the state and evidence of requests, without the person": ["GET /admin/privacy-requests"],
  "the log itself: ids only": ["GET /admin/access-log"],
  "what agents asked: ids only": ["GET /admin/agent-activity"],
  "ends a session": ["POST /auth/logout"],
  "makes a link: the file behind it is recorded": ["POST /customer-account/export"],
};

const SCREENS_WITHOUT_ACCESS: Record<string, readonly string[]> = {
  "the frame": ["app.tsx", "app.$.tsx"],
  "settings of the store": [
    "app.settings._index.tsx",
    "app.settings_.connection.tsx",
    "app.settings.$page.tsx",
    "app.settings.agents.tsx",
    "app.settings.brand.preview.ts",
    "app.settings.places.tsx",
    "app.settings.regions.tsx",
    "app.settings.integrations._index.tsx",
    "app.settings.integrations.$system.tsx",
    "app.settings.logo.ts",
    "app.settings.mails.ts",
    "app.setup.tsx",
  ],
  "tags of the store, with counts": ["app.tags.tsx"],
  "the banner, its counts and the list of cookies: about no person": [
    "app.consent.banner._index.tsx",
    "app.consent.banner.preview.ts",
    "app.consent.cookies._index.tsx",
    "app.consent.insights._index.tsx",
    "app.consent.insights.export.ts",
  ],
  "the policies, and the state of a check": [
    "app.consent.policies._index.tsx",
    "app.consent.policies.published.ts",
    "app.consent.policies.text.tsx",
    "app.consent.verification.ts",
  ],
  "counts of bulk changes": ["app.customers.changes._index.tsx", "app.customers.tag-run.ts"],
  "what the store's public pages contain": [
    "app.consent.storefront._index.tsx",
    "app.consent.storefront.progress.ts",
  ],
  "agents of all shoppers together": ["app.agents._index.tsx"],
  "events and deliveries without their payloads": [
    "app.events._index.tsx",
    "app.events.cms-sync.ts",
    "app.events.dead-letters.tsx",
    "app.events.destinations.tsx",
    "app.events.log.tsx",
    "app.events.replay.ts",
  ],
  "the log itself: ids only": ["app.access-log.ts"],
  "whether an agent has called: no row of it": ["app.agents.activity.mark.ts"],
  "what was done for a request and how far it is, without the person": [
    "app.privacy.$id.proof.ts",
    "app.privacy.progress.ts",
  ],
};

let methods: { name: string; spec: AnySpec }[];
beforeAll(async () => {
  const { all } = await loadRoutes();
  methods = all.flatMap(({ path, endpoint }) =>
    Object.entries(endpoint.specs).map(([method, spec]) => ({ name: `${method} ${path}`, spec })),
  );
});

describe("the access log", () => {
  test("is declared on every method whose caller is proven to be staff, a shopper or an agent, except those listed here", () => {
    const without = methods
      .filter(({ spec }) => !spec.access && !GET_NOBODYS_DATA.includes(spec.auth))
      .map(({ name }) => name);
    expect(without.toSorted()).toEqual(Object.values(ENDPOINTS_WITHOUT_ACCESS).flat().toSorted());
  });

  test("is declared on the downloads by a link, the only such methods without a proven caller", () => {
    expect(
      methods
        .filter(({ spec }) => spec.access && GET_NOBODYS_DATA.includes(spec.auth))
        .map(({ name }) => name),
    ).toEqual(["GET /customer-account/export", "POST /gdpr/export"]);
  });

  test("is written by every screen of the store, except those listed here", () => {
    const folder = join(root, "app/routes");
    const without = readdirSync(folder)
      .filter((file) => /^app[._]/.test(file))
      // The actions that bulkRunActions makes call it.
      .filter(
        (file) =>
          !/\b(?:recordAccess|bulkRunActions)\(/.test(readFileSync(join(folder, file), "utf8")),
      );
    expect(without.toSorted()).toEqual(Object.values(SCREENS_WITHOUT_ACCESS).flat().toSorted());
  });
});

describe("the place of an access", () => {
  test.each([
    ["/app/customers/12", { id: "12" }, "/app/customers/:id"],
    ["/commerce/orders/gid%3A%2F%2Fshop%2F1", { id: "gid://shop/1" }, "/commerce/orders/:id"],
    ["/commerce/orders/orders", { id: "orders" }, "/commerce/orders/:id"],
    ["/commerce/returns/ada%40example.com", { rma: "ada@example.com" }, "/commerce/returns/:rma"],
    [
      "/admin/mappings/cms/cms",
      { channel: "cms", entity_type: "cms" },
      "/admin/mappings/:channel/:entity_type",
    ],
    ["/app/privacy", {}, "/app/privacy"],
  ])("%s has no value of a parameter", (path, params, place) => {
    expect(routePatternOf(path, params)).toBe(place);
  });
});
