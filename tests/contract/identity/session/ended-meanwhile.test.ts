// A change that is under way when its session ends: the owner's reset or sign-in comes first.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SHOP, startService, type Answer, type Service } from "../../../support/service.ts";
import { approve, authorizePath, newClient, pkce } from "../../../support/agents/agent.ts";
import { deleteMe, getMe, login, PASSWORD, signUp } from "../people.ts";
import { statementsWait } from "../../../support/processes/locked-rows.ts";

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const END_SESSIONS = "sessions_valid_after = date_trunc('second', now()) + interval '1 second'";

/** Makes the request, whose session or password is checked, and changes the person before its own change. */
async function changeDuring(
  id: number,
  change: string,
  request: () => Promise<Answer>,
): Promise<Answer> {
  const owner = new pg.Client({ connectionString: service.database.url });
  await owner.connect();
  try {
    await owner.query("BEGIN");
    await owner.query(`UPDATE storefront_users SET ${change} WHERE id = $1`, [id]);
    const answer = request();
    await statementsWait(service.database);
    await owner.query("COMMIT");
    return await answer;
  } finally {
    await owner.end();
  }
}

const endSessionsDuring = (id: number, request: () => Promise<Answer>): Promise<Answer> =>
  changeDuring(id, END_SESSIONS, request);

describe("a request whose session ends meanwhile", () => {
  it("grants no consent", async () => {
    const { id, token, email } = await signUp(service);
    const grant = { consent_marketing: true, consent_a2a: true, method: "dashboard" };
    const { status } = await endSessionsDuring(id, () =>
      service.call("POST", "/auth/consent-sync", { key: token, body: grant }),
    );
    expect(status).toBe(401);
    const own = (await login(service, email, PASSWORD)).json.token;
    expect((await getMe(service, own)).json.consents).toMatchObject({
      marketing: false,
      a2a: false,
    });
    const again = await service.call("POST", "/auth/consent-sync", { key: own, body: grant });
    expect([again.status, (await getMe(service, own)).json.consents.a2a]).toEqual([200, true]);
  });

  it("withdraws no consent to a form", async () => {
    const { id, token } = await signUp(service);
    const form = { form_type: "newsletter", method: "newsletter_form" };
    const given = await service.call("POST", "/auth/consent-sync", { key: token, body: form });
    expect(given.status).toBe(200);
    const { status } = await endSessionsDuring(id, () =>
      service.call("POST", "/auth/consent-sync", {
        key: token,
        body: { ...form, form_consent: false },
      }),
    );
    expect(status).toBe(401);
  });

  it("changes no name", async () => {
    const { id, token } = await signUp(service, { first_name: "Ada" });
    const { status } = await endSessionsDuring(id, () =>
      service.call("PATCH", "/auth/profile", { key: token, body: { first_name: "Mallory" } }),
    );
    expect(status).toBe(401);
    const rows = await service.database.query(
      "SELECT first_name FROM storefront_users WHERE id = $1",
      [id],
    );
    expect(rows).toEqual([{ first_name: "Ada" }]);
  });

  it("adds and removes no tag", async () => {
    const { id, token } = await signUp(service);
    const change = (body: object) => service.call("POST", "/ucp/tags", { key: token, body });
    expect((await change({ add: ["newsletter_subscribed"] })).status).toBe(200);
    const tagsOf = () =>
      service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [id]);
    const before = await tagsOf();
    const { status } = await endSessionsDuring(id, () =>
      change({ add: ["gala_subscribed"], remove: ["newsletter_subscribed"] }),
    );
    expect(status).toBe(401);
    expect(await tagsOf()).toEqual(before);
  });

  it("stores no experiment's label", async () => {
    const { id, token } = await signUp(service);
    const { status } = await endSessionsDuring(id, () =>
      service.call("POST", "/segment/assign", { key: token, body: { experiment: "hero" } }),
    );
    expect(status).toBe(401);
    const rows = await service.database.query(
      "SELECT segment_id FROM user_claims WHERE user_id = $1 AND segment_id IS NOT NULL",
      [id],
    );
    expect(rows).toEqual([]);
  });

  it("allows no agent", async () => {
    const client = await newClient(service);
    for (const change of [END_SESSIONS, "status = 'suspended'"]) {
      const { id, token } = await signUp(service);
      const answer = await changeDuring(id, change, () =>
        approve(service, authorizePath(client, pkce().challenge), token),
      );
      expect(answer.headers.get("location") ?? "").not.toContain("code=");
      expect(
        await service.database.query("SELECT id FROM oauth_grants WHERE user_id = $1", [id]),
      ).toEqual([]);
    }
  });

  it("deletes no account", async () => {
    const { id, token } = await signUp(service);
    const { status } = await endSessionsDuring(id, () =>
      deleteMe(service, token, { password: PASSWORD }),
    );
    expect(status).toBe(401);
    const rows = await service.database.query("SELECT status FROM storefront_users WHERE id = $1", [
      id,
    ]);
    expect(rows).toEqual([{ status: "active" }]);
  });
});

describe("a sign-in", () => {
  it.each([
    [
      "the password is replaced",
      "password_hash = 'another'",
      [401, "invalid_credentials"],
      "another",
    ],
    [
      "the person is suspended",
      "status = 'suspended'",
      [403, "account_suspended"],
      expect.stringMatching(/^pbkdf2/),
    ],
  ])("during which %s is rejected", async (_, change, expected, hash) => {
    const { id, email } = await signUp(service);
    const answer = await changeDuring(id, change, () => login(service, email, PASSWORD));
    expect([answer.status, answer.json.code]).toEqual(expected);
    const rows = await service.database.query(
      "SELECT password_hash FROM storefront_users WHERE id = $1",
      [id],
    );
    expect(rows).toEqual([{ password_hash: hash }]);
  });
});
