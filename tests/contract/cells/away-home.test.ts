// What a person meets in a store of another cell while home is away: signing in, the privacy page, and the
// merchant's first screens.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import { readSetupGuide } from "../../../app/domain/merchant/setup-guide/read-guide.ts";
import { requestSync } from "../../../app/domain/customers/sync/sync-request.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import {
  approve,
  begin,
  errorOf,
  followCallback,
  PROVIDERS,
  putPerson,
  sessionOf,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { RETURN_ORIGIN, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let home: DatabaseProxy;
let eu: TestDatabase;
const subs = {} as Record<(typeof PROVIDERS)[number], string>;

beforeAll(async () => {
  eu = await freshDatabase();
  service = await startService({
    env: { DATABASE_URL_EU: eu.serviceUrl },
    databaseThrough: async (url) => (home = await startDatabaseProxy(url)).url,
  });
  await service.addTenant(SHOP);
  await changeTenantRecord(service.ctx, SHOP, { set: { region: "eu" } });
  for (const provider of PROVIDERS) {
    subs[provider] = putPerson(service, provider, `grace-${provider}@example.com`);
    // From here on the process knows the store and the provider.
    await signInAs(service, provider, subs[provider]);
  }
  await requestSync(service.ctx, SHOP);
});
beforeEach(() => home.refuse());
afterAll(async () => {
  await home.restore();
  await service.stop();
  await home.stop();
  await eu.drop();
});

describe.each(PROVIDERS)(
  "a %s sign-in in a store of another cell, while home is away",
  (provider) => {
    it("begins and ends in the store's own cell", async () => {
      const journey = await begin(service, provider);
      const kept = () =>
        eu.query("SELECT key FROM kv WHERE key ~ '^(oauth_state|pkce):' AND strpos(key, $1) > 0", [
          journey.state.replace(".eu", ""),
        ]);
      expect(await kept()).toHaveLength(2);
      const callback = await approve(journey, subs[provider]);
      const answer = await followCallback(service, callback, journey.cookie);
      expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/`);
      expect(sessionOf(answer)).not.toBeNull();
      expect(await kept()).toEqual([]);
    });

    it("is refused with a state that names another cell, or one that does not exist", async () => {
      await home.restore();
      for (const cell of ["default", "us", "constructor"]) {
        const journey = await begin(service, provider);
        const callback = await approve(journey, subs[provider]);
        callback.searchParams.set("state", journey.state.replace(".eu", `.${cell}`));
        const answer = await followCallback(service, callback, journey.cookie);
        expect([errorOf(answer), sessionOf(answer)]).toEqual(["invalid_state", null]);
      }
    });
  },
);

describe("a store of another cell, while home is away", () => {
  it("shows its privacy policy", async () => {
    const { status, text } = await service.call("GET", `/privacy?shop=${SHOP}`, { key: null });
    expect(status).toBe(200);
    expect(text).toContain(SHOP);
  });

  it("shows its Home and its setup guide by what its own cell knows of the sync", async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    const { guide } = await readHome(service.ctx, SHOP, tenant);
    expect(guide.steps.find(({ name }) => name === "sync")?.state).toBe("todo");
    expect(await readSetupGuide(service.ctx, SHOP)).toEqual(guide);
  });
});
