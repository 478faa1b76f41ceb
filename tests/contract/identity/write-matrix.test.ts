// SPEC "Real-time write matrix per authentication event": which tables and outside systems each
// event writes.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { customerPayload } from "../../support/storefront/payloads.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import {
  connectStorefront,
  deleteMe,
  forgot,
  login,
  mailedToken,
  PASSWORD,
  databaseSnapshot,
  queueIsEmpty,
  reset,
  retriesAreDone,
  signUp,
  type Person,
} from "./people.ts";

let service: Service;
/** Signed up before the tests, and known to every system. */
let ada: Person;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
  ada = await signUp(service);
  await settled();
});
afterAll(() => service.stop());

type Column = "users" | "claims" | "consent" | "cms" | "storefront" | "analytics" | "profile";
const TABLES = {
  users: "storefront_users",
  claims: "user_claims",
  consent: "consent_records",
} as const;
const SYSTEMS = {
  cms: "cms",
  storefront: "storefront",
  analytics: "analytics",
  profile: "profilePlatform",
} as const;

const calls = (system: (typeof SYSTEMS)[keyof typeof SYSTEMS]) =>
  service.sandbox.requests(system).filter(({ path }) => !path.includes("access_token")).length;

async function settled(): Promise<void> {
  await queueIsEmpty(service);
  await service.sandbox.storefront.echoesSent();
  await queueIsEmpty(service);
}

/** Which of the seven columns an event wrote to. */
async function columnsWrittenBy(event: () => Promise<unknown>): Promise<Column[]> {
  const before = await databaseSnapshot(service.database);
  const callsBefore = Object.values(SYSTEMS).map(calls);
  await event();
  await settled();
  const after = await databaseSnapshot(service.database);
  const tables = (Object.keys(TABLES) as (keyof typeof TABLES)[]).filter(
    (column) => before[TABLES[column]] !== after[TABLES[column]],
  );
  const systems = (Object.keys(SYSTEMS) as (keyof typeof SYSTEMS)[]).filter(
    (_, index) => Object.values(SYSTEMS).map(calls)[index] !== callsBefore[index],
  );
  return [...tables, ...systems];
}

const channelsOf = async (eventType: string, person: Person) =>
  (
    await service.database.query(
      "SELECT channel, status FROM integration_queue WHERE event_type = $1 AND entity_id = $2 ORDER BY channel",
      [eventType, String(person.id)],
    )
  ).map(({ channel, status }) => `${channel} ${status}`);

const itemsOf = ({ email }: Person) =>
  service.sandbox.cms
    .items()
    .map(({ fieldData }) => fieldData)
    .filter((fields) => fields["email"] === email);
const customersOf = ({ email }: Person) =>
  service.sandbox.storefront.customers(SHOP).filter((customer) => customer.email === email);

it("an email sign-up writes all seven columns", async () => {
  const people: Person[] = [];
  const written = await columnsWrittenBy(async () => {
    people.push(await signUp(service, { consent_marketing: true, consent_cookie: true }));
  });
  const person = people[0] as Person;
  expect(written).toEqual([
    "users",
    "claims",
    "consent",
    "cms",
    "storefront",
    "analytics",
    "profile",
  ]);
  expect(await channelsOf("customer.signed_up", person)).toEqual([
    "cms delivered",
    "profile_platform delivered",
    "storefront delivered",
    "web_analytics delivered",
  ]);
  expect(itemsOf(person)).toMatchObject([{ "consent-marketing": "true" }]);
  expect(customersOf(person)).toMatchObject([{ firstName: "Ada" }]);
  expect(service.sandbox.analytics.violations()).toEqual([]);
  expect(JSON.stringify(service.sandbox.requests("analytics"))).not.toContain(person.email);
  expect(JSON.stringify(service.sandbox.profilePlatform.messages())).not.toContain(person.email);
  expect(service.sandbox.cms.liveCalls()).toEqual([]);
});

it("a tag change writes the CMS, the storefront, analytics and the profile platform, and neither claims nor consents", async () => {
  await addToCatalog(service, ["newsletter"]);
  const { token } = (await login(service, ada.email)).json;
  const written = await columnsWrittenBy(async () => {
    expect(
      (
        await service.call("POST", `/ucp/tags?shop=${SHOP}`, {
          key: token,
          body: { add: ["newsletter"] },
        })
      ).status,
    ).toBe(200);
  });
  // In the user's row only the list of tags changes.
  expect(written).toEqual(["users", "cms", "storefront", "analytics", "profile"]);
  expect(await channelsOf("customer.tags_changed", ada)).toEqual([
    "cms delivered",
    "profile_platform delivered",
    "storefront delivered",
    "web_analytics delivered",
  ]);
});

it("an email sign-in writes only its time", async () => {
  const users = () =>
    service.database.query(
      "SELECT to_jsonb(u) - 'last_login_at' AS kept FROM storefront_users u ORDER BY id",
    );
  const before = await users();
  const written = await columnsWrittenBy(() => login(service, ada.email));
  expect(written).toEqual(["users"]);
  expect(await users()).toEqual(before);
  expect(await columnsWrittenBy(() => login(service, ada.email, "wrong password"))).toEqual([]);
});

it("a password reset writes only the new password, the verified address and the end of the sessions", async () => {
  const users = () =>
    service.database.query(
      `SELECT to_jsonb(u) - '{password_hash,email_verified,sessions_valid_after,updated_at}'::text[] AS kept FROM storefront_users u ORDER BY id`,
    );
  const before = await users();
  expect(await columnsWrittenBy(() => forgot(service, ada.email))).toEqual([]);
  const token = await mailedToken(service, ada.email, "/auth/password/reset");
  expect(await columnsWrittenBy(() => reset(service, token, PASSWORD))).toEqual(["users"]);
  expect(await users()).toEqual(before);
});

it("an account deletion empties users and claims, appends to the consent log, deletes in the CMS, and calls no other system", async () => {
  const person = await signUp(service);
  await settled();
  const written = await columnsWrittenBy(() =>
    deleteMe(service, person.token, { password: PASSWORD }),
  );
  expect(written).toEqual(["users", "claims", "consent", "cms"]);
  expect(await channelsOf("customer.deleted", person)).toEqual(["cms delivered"]);
  expect(service.sandbox.requests("cms").at(-1)).toMatchObject({ method: "DELETE" });
  expect(itemsOf(person)).toEqual([]);
  expect(customersOf(person)).toHaveLength(1);
});

describe("when every other system is down", () => {
  it("a sign-up still answers 201 with a working session, and the pending writes wait in the queue", async () => {
    for (const system of [...Object.values(SYSTEMS), "email"] as const)
      service.sandbox.failNext(system, { reset: true }, Infinity);
    const bob = await signUp(service);
    expect((await login(service, bob.email, PASSWORD)).status).toBe(200);
    const rows = await eventually("one try of each row", async () => {
      const found = await service.database.query(
        "SELECT channel, status FROM integration_queue WHERE entity_id = $1 AND retry_count > 0 ORDER BY channel",
        [String(bob.id)],
      );
      return found.length === 5 && found;
    });
    expect(rows).toEqual(
      ["cms", "email", "profile_platform", "storefront", "web_analytics"].map((channel) => ({
        channel,
        status: "pending",
      })),
    );
    service.sandbox.clearFaults();
    await retriesAreDone(service);
    expect(itemsOf(bob)).toHaveLength(1);
    expect(service.sandbox.email.mailsTo(bob.email)).toHaveLength(1);
  });

  it("a sign-up does not wait for systems that hang", async () => {
    for (const system of [...Object.values(SYSTEMS), "email"] as const)
      service.sandbox.failNext(system, { hang: 3_000 }, 1);
    const started = performance.now();
    await signUp(service);
    expect(performance.now() - started).toBeLessThan(2_000);
    service.sandbox.clearFaults();
  });
});

describe("an account deleted before the CMS has answered its creation", () => {
  it.each([
    ["is still being made", { delayMs: 2_500 }],
    ["was made, and the answer was lost", { dropReply: true }],
  ] as const)("leaves no CMS item when it %s", async (_, fault) => {
    await retriesAreDone(service);
    const before = service.sandbox.requests("cms").length;
    service.sandbox.failNext("cms", { ...fault, match: "/items" }, 1);
    const person = await signUp(service);
    await eventually(
      "the creation on its way",
      () => service.sandbox.requests("cms").length > before,
    );
    expect((await deleteMe(service, person.token, { password: PASSWORD })).status).toBe(200);
    await retriesAreDone(service);
    expect(itemsOf(person)).toEqual([]);
  });
});

it("a storefront webhook writes users, the CMS, analytics and the profile platform, also for a new customer", async () => {
  const send = (id: string, firstName: string) =>
    columnsWrittenBy(async () => {
      const raw = customerPayload({
        admin_graphql_api_id: '"gid://shopify/Customer/4711"',
        email: '"grace@example.com"',
        first_name: `"${firstName}"`,
      });
      await service.webhook("customer-update", raw, { headers: { "X-Shopify-Webhook-Id": id } });
      await eventually(
        "the webhook handled",
        async () =>
          (
            await service.database.query(
              "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'done'",
              [id],
            )
          ).length === 1,
      );
    });
  expect(await send("new", "Grace")).toEqual(["users", "cms", "analytics", "profile"]);
  expect(await send("known", "Amazing Grace")).toEqual(["users", "cms", "analytics", "profile"]);
});
