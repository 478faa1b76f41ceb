// Access that ends while the storefront answers: the steps of a checkout that wait for the answer are refused
// like the next call, and leave nothing.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  CART_API,
  closeCarts,
  itemsOf,
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asShopper, callsOf, consent, type Shopper } from "../../support/agents/commerce.ts";
import {
  eventually,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { PASSWORD } from "../identity/people.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
/** An agent's own token. */
let token: string;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(renew);
afterEach(() => service.sandbox.clearFaults());

async function renew(): Promise<void> {
  shopper = await newPayer(service);
  const client = await newClient(service);
  const scope = "dev.ucp.shopping.checkout:manage commerce.mandates:create";
  token = (await newTokens(service, client, shopper.token, { scope })).access_token;
}

type Call = () => Promise<Answer>;
const asked = () => service.sandbox.requests("storefront").length;

/** The answers of calls that wait for the storefront while `change` is acknowledged. */
async function during(
  calls: readonly Call[],
  change: () => Promise<unknown>,
  match: RegExp = CART_API,
): Promise<Answer[]> {
  let release = (): void => {};
  const changed = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.sandbox.failNext("storefront", { replyAfter: changed, match }, calls.length);
  const before = asked();
  let answered = 0;
  const answers = Promise.all(
    calls.map((call) =>
      call().finally(() => {
        answered += 1;
      }),
    ),
  );
  try {
    await eventually("the storefront was asked", () => asked() >= before + calls.length);
    await change();
    expect(answered).toBe(0);
  } finally {
    release();
  }
  return answers;
}

const post = (path: string, body: object, key: string, headers: Record<string, string> = {}) =>
  service.call("POST", `${path}?shop=${SHOP}`, { body, key, headers });
const create = (key: string, mandate_id?: string, headers?: Record<string, string>) =>
  post("/commerce/checkout", { line_items: itemsOf(shelf.camera), mandate_id }, key, headers);
const update = (id: string, key: string) =>
  post(`/commerce/checkout/${id}/update`, { line_items: itemsOf(shelf.camera, 2) }, key);
const complete = (id: string, key: string) => post(`/commerce/checkout/${id}/complete`, {}, key);
const refusalOf = ({ status, json, headers }: Answer) => [
  status,
  json.code,
  headers.get("www-authenticate"),
];

async function acknowledged(answer: Promise<Answer>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`not acknowledged: ${status} ${text}`);
}
const asPerson = (method: string, path: string, body?: object) =>
  asShopper(service, shopper, method, `${path}?shop=${SHOP}`, { body });
const withdraw = () => consent(service, shopper, { consent_a2a: false });
const unlink = async () => {
  const { json } = await asPerson("GET", "/oauth/grants");
  await acknowledged(asPerson("DELETE", `/oauth/grants/${json.grants[0].id}`, {}));
};
const signOut = () => acknowledged(asPerson("POST", "/auth/logout", { everywhere: true }));
const deleteAccount = () => acknowledged(asPerson("DELETE", "/auth/me", { password: PASSWORD }));
const configure = (body: object) =>
  acknowledged(service.call("POST", `/config?shop=${SHOP}`, { body }));

const checkouts = () =>
  service.database.query(
    "SELECT id, status, total, reserved_amount, external_id FROM checkout_sessions WHERE customer_id = $1 ORDER BY id",
    [shopper.id],
  );
const UNTOUCHED = { spent_amount: "0.00", reserved_amount: "0.00", reservations: 0 };

describe("an agent's call", () => {
  it.each<[what: string, change: () => Promise<unknown>]>([
    ["withdraws consent_a2a", withdraw],
    [
      "withdraws consent_a2a and gives it again",
      async () => {
        await withdraw();
        await consent(service, shopper, { consent_a2a: true });
      },
    ],
    ["unlinks the agent", unlink],
    ["signs out everywhere", signOut],
    ["deletes the account", deleteAccount],
  ])(
    "during which the shopper %s creates, changes and completes no checkout, with and without a mandate",
    async (_, change) => {
      const [ready, held, open] = [
        await newMandate(service, shopper),
        await newMandate(service, shopper, { usage: "multi" }),
        (await create(token)).json,
      ];
      const [first, second] = [(await create(token, held)).json, (await create(token, held)).json];
      const before = await checkouts();
      const answers = await during(
        [
          () => create(token, ready),
          () => create(token),
          () => update(open.id, token),
          () => update(first.id, token),
          () => complete(second.id, token),
        ],
        change,
      );
      const next = refusalOf(await create(token));
      expect([401, 403]).toContain(next[0]);
      expect(answers.map(refusalOf)).toEqual(answers.map(() => next));
      const isDeleted = change === deleteAccount;
      expect((await checkouts()).map(({ id, status, total }) => [id, status, total])).toEqual(
        before.map(({ id, status, total }) => [id, isDeleted ? "canceled" : status, total]),
      );
      expect(await mandateRow(service, ready)).toMatchObject(UNTOUCHED);
      expect(await mandateRow(service, held)).toMatchObject({
        reserved_amount: isDeleted ? "0.00" : "80.00",
      });
    },
  );

  it("during which the consent is withdrawn leaves no draft order", async () => {
    closeCarts(service);
    const deleted = callsOf(service, "draftOrderDelete");
    const [answer] = await during([() => create(token)], withdraw, /\/admin\/api\//);
    expect(refusalOf(answer as Answer)[1]).toBe("agent_consent_required");
    expect(callsOf(service, "draftOrderDelete")).toBe(deleted + 1);
    expect(await checkouts()).toEqual([]);
  });

  it("with the shopper's token is refused too when consent_a2a is withdrawn meanwhile", async () => {
    const answers = await during([() => create(shopper.token)], withdraw);
    expect(answers.map(refusalOf)).toEqual([refusalOf(await create(shopper.token))]);
    expect(answers[0]?.json.code).toBe("agent_consent_required");
    expect(await checkouts()).toEqual([]);
  });

  it("over MCP and A2A is refused too, with the same challenge as the next call", async () => {
    const args = () => ({
      checkout: { line_items: [{ item: { id: shelf.camera }, quantity: 1 }] },
    });
    const rpc = (path: string, method: string, params: object) =>
      post(path, { jsonrpc: "2.0", id: 1, method, params }, token);
    const mcp = () => rpc("/mcp", "tools/call", { name: "create_checkout", arguments: args() });
    const a2a = () => {
      const parts = [{ kind: "data", data: { tool: "create_checkout", arguments: args() } }];
      const message = { kind: "message", role: "user", messageId: randomUUID(), parts };
      return rpc("/a2a", "message/send", { message });
    };
    const answers = await during([mcp, a2a], withdraw);
    const rpcRefusal = ({ status, headers, json }: Answer) => [
      status,
      headers.get("www-authenticate"),
      json.error,
    ];
    expect(answers.map(rpcRefusal)).toEqual([rpcRefusal(await mcp()), rpcRefusal(await a2a())]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(await checkouts()).toEqual([]);
  });

  it("is refused when the merchant turns agents off meanwhile", async () => {
    const answers = await during([() => create(token)], () =>
      configure({ agent_access_enabled: false }),
    );
    const next = refusalOf(await create(token));
    await configure({ agent_access_enabled: true });
    expect(answers.map(refusalOf)).toEqual([next]);
    expect(next[1]).toBe("agent_access_disabled");
    expect(await checkouts()).toEqual([]);
  });

  it("reserves nothing of a mandate when the merchant turns agents' payments off meanwhile", async () => {
    const [mandate, held] = [
      await newMandate(service, shopper),
      await newMandate(service, shopper, { usage: "multi" }),
    ];
    const { json } = await create(token, held);
    const answers = await during(
      [() => create(token, mandate), () => update(json.id, token), () => complete(json.id, token)],
      () => configure({ agent_payments_enabled: false }),
    );
    await configure({ agent_payments_enabled: true });
    expect(answers.map(({ json: { code } }) => code)).toEqual(
      answers.map(() => "agent_payments_disabled"),
    );
    expect(await mandateRow(service, mandate)).toMatchObject(UNTOUCHED);
    expect(await mandateRow(service, held)).toMatchObject({ reserved_amount: "40.00" });
  });

  it("changes and completes no checkout that is canceled meanwhile", async () => {
    const held = await newMandate(service, shopper, { usage: "multi" });
    const { json } = await create(token, held);
    const answers = await during(
      [() => update(json.id, token), () => complete(json.id, token)],
      () => acknowledged(post(`/commerce/checkout/${json.id}/cancel`, {}, token)),
    );
    expect(answers.map(({ json: { code } }) => code)).toEqual([
      "checkout_closed",
      "checkout_closed",
    ]);
    expect(await checkouts()).toMatchObject([{ status: "canceled", reserved_amount: "0.00" }]);
    expect(await mandateRow(service, held)).toMatchObject(UNTOUCHED);
  });

  it("refused for its consent may be repeated with the same idempotency key once it is given again", async () => {
    const key = { "Idempotency-Key": randomUUID() };
    const again = () => create(shopper.token, undefined, key);
    const answers = await during([again], withdraw);
    expect(answers[0]?.json.code).toBe("agent_consent_required");
    await consent(service, shopper, { consent_a2a: true });
    expect((await again()).status).toBe(201);
  });

  it("at the same time as what ends its access is either done before or refused", async () => {
    for (const end of [unlink, withdraw, signOut, deleteAccount]) {
      const mandate = await newMandate(service, shopper, { usage: "multi", max_amount: "1000.00" });
      const calls = Array.from({ length: 8 }, (_, n) => create(token, n % 2 ? mandate : undefined));
      const [answers] = await Promise.all([Promise.all(calls), end()]);
      for (const { status } of answers) expect([201, 401, 403]).toContain(status);
      await renew();
    }
  });

  it("during which nothing ends goes on", async () => {
    const answers = await during([() => create(token)], async () => {});
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });
});

describe("the shopper's own checkout", () => {
  const own = () =>
    asShopper(service, shopper, "POST", `/commerce/checkout?shop=${SHOP}`, {
      body: { line_items: itemsOf(shelf.camera) },
    });

  it("needs no consent_a2a, also when it is withdrawn meanwhile", async () => {
    const answers = await during([own], withdraw);
    expect(answers.map(({ status }) => status)).toEqual([201]);
  });

  it.each([
    ["deletes the account", deleteAccount],
    ["signs out everywhere", signOut],
  ])("is not created when the shopper %s meanwhile", async (_, change) => {
    const answers = await during([own], change);
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([[401, "unauthorized"]]);
    expect(await checkouts()).toEqual([]);
  });
});
