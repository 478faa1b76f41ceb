// Binding of a mandate to agents: only the agents it names can spend it, over every protocol.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newClient, newTokens, toolCall } from "../../support/agents/agent.ts";
import {
  itemsOf,
  mandateRow,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asShopper, type Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Answer, type Service } from "../../support/service.ts";

type Agent = { client: string; token: string };
let service: Service;
let shelf: Shelf;
let shopper: Shopper;
let own: Agent;
let other: Agent;

const SCOPE = "dev.ucp.shopping.checkout:manage commerce.mandates:create";

async function newAgent(name: string): Promise<Agent> {
  const client = await newClient(service, { client_name: name });
  const { access_token } = await newTokens(service, client, shopper.token, { scope: SCOPE });
  return { client, token: access_token };
}

beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
  [own, other] = [await newAgent("Trail Planner"), await newAgent("Price Hunter")];
});

const post = (path: string, body: object, key: string) =>
  service.call("POST", `${path}?shop=${SHOP}`, { body, key });
const tool = (name: string, args: object, key: string) => post("/mcp", toolCall(name, args), key);
const skill = (name: string, args: object, key: string) =>
  post(
    "/a2a",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "message/send",
      params: {
        message: {
          kind: "message",
          role: "user",
          messageId: randomUUID(),
          parts: [{ kind: "data", data: { tool: name, arguments: args } }],
        },
      },
    },
    key,
  );

const MANDATE = { max_amount: "100.00", currency: "EUR", scope: "all", usage: "multi" };
const mandateOf = async (key: string, fields: object = {}) => {
  const answer = await post("/commerce/mandates", { ...MANDATE, ...fields }, key);
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.json;
};
const buy = (mandate: string, key: string) =>
  post("/commerce/checkout", { line_items: itemsOf(shelf.camera), mandate_id: mandate }, key);
const ucpLines = () => [{ item: { id: shelf.camera }, quantity: 1 }];
const UNTOUCHED = { spent_amount: "0.00", reserved_amount: "0.00", reservations: 0 };

function expectWrongAgent(answer: Answer): void {
  expect([answer.status, answer.json.code, answer.json.reason]).toEqual([
    403,
    "mandate_refused",
    "wrong_agent",
  ]);
}

function expectNotFound(answer: Answer): void {
  expect([answer.status, answer.json.code]).toEqual([404, "not_found"]);
}
const CHANGES = (): [verb: string, body: object][] => [
  ["update", { line_items: itemsOf(shelf.camera, 2) }],
  ["complete", {}],
  ["cancel", {}],
];

describe("a checkout", () => {
  const read = (id: string, key: string) =>
    service.call("GET", `/commerce/checkout/${id}`, { key });
  const newCheckout = async (key: string) =>
    (await post("/commerce/checkout", { line_items: itemsOf(shelf.camera) }, key)).json;

  it("of an agent is neither shown to another agent nor changed by it, over REST and MCP", async () => {
    const { id } = await newCheckout(own.token);
    expectNotFound(await read(id, other.token));
    for (const [verb, body] of CHANGES())
      expectNotFound(await post(`/commerce/checkout/${id}/${verb}`, body, other.token));
    for (const name of ["get_checkout", "complete_checkout", "cancel_checkout"])
      expect(JSON.stringify((await tool(name, { id }, other.token)).json)).toContain("not_found");
    for (const key of [own.token, shopper.token])
      expect((await read(id, key)).json).toMatchObject({ id, status: "requires_escalation" });
    expect((await post(`/commerce/checkout/${id}/cancel`, {}, shopper.token)).status).toBe(200);
  });

  it("of the shopper is shown to agents, and changed by none", async () => {
    const { id } = await newCheckout(shopper.token);
    expect((await read(id, own.token)).status).toBe(200);
    for (const [verb, body] of CHANGES())
      expectNotFound(await post(`/commerce/checkout/${id}/${verb}`, body, own.token));
    expect((await read(id, shopper.token)).json.status).toBe("requires_escalation");
  });
});

describe("a mandate created by an agent", () => {
  it("names that agent, over REST, MCP and A2A", async () => {
    const overMcp = (await tool("create_mandate", MANDATE, own.token)).json.result
      .structuredContent;
    const overA2a = (await skill("create_mandate", MANDATE, own.token)).json.result.artifacts[0]
      .parts[0].data.result;
    for (const mandate of [await mandateOf(own.token), overMcp, overA2a])
      expect(mandate.agent_clients).toEqual([own.client]);
  });

  it("includes the agent in its proof", async () => {
    const { proof } = await mandateOf(own.token);
    const [, payload = ""] = proof.split(".");
    expect(JSON.parse(Buffer.from(payload, "base64url").toString()).agent_clients).toEqual([
      own.client,
    ]);
  });

  it.each([
    ["another agent", () => [other.client]],
    ["another agent beside itself", () => [own.client, other.client]],
  ])("may name only that agent: naming %s is rejected", async (_, clients) => {
    const answer = await post(
      "/commerce/mandates",
      { ...MANDATE, agent_clients: clients() },
      own.token,
    );
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
      400,
      "invalid_request",
      ["agent_clients"],
    ]);
    expect((await mandateOf(own.token, { agent_clients: null })).agent_clients).toEqual([
      own.client,
    ]);
  });

  it("is spent by that agent, and the checkout names the agent", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    const made = await buy(id, own.token);
    expect([made.status, made.json.client_id]).toEqual([201, own.client]);
    const { checkout } = {
      checkout: (
        await service.call("GET", `/commerce/checkout/${made.json.id}`, { key: shopper.token })
      ).json,
    };
    expect(checkout.client_id).toBe(own.client);
    expect(await mandateRow(service, id)).toMatchObject({ reserved_amount: "40.00" });
    const overMcp = await tool("get_checkout", { id: made.json.id }, own.token);
    expect(overMcp.json.result.structuredContent.client_id).toBe(own.client);
  });

  it("is rejected for another agent of the same shopper over REST, MCP and A2A, and nothing is reserved", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    expectWrongAgent(await buy(id, other.token));
    const checkout = { line_items: ucpLines(), mandate_id: id };
    const overMcp = await tool("create_checkout", { checkout }, other.token);
    expect(JSON.stringify(overMcp.json)).toContain("wrong_agent");
    const overA2a = await skill("create_checkout", { checkout }, other.token);
    expect(JSON.stringify(overA2a.json)).toContain("wrong_agent");
    expect(await mandateRow(service, id)).toMatchObject(UNTOUCHED);
  });

  it("is rejected for twenty concurrent calls of another agent", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    const answers = await Promise.all(Array.from({ length: 20 }, () => buy(id, other.token)));
    for (const answer of answers) expectWrongAgent(answer);
    expect(await mandateRow(service, id)).toMatchObject(UNTOUCHED);
  });

  it("is rejected for a session that names no agent", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    expectWrongAgent(await buy(id, shopper.token));
    expectWrongAgent(
      await asShopper(service, shopper, "POST", "/commerce/checkout", {
        body: { line_items: itemsOf(shelf.camera), mandate_id: id },
      }),
    );
  });

  it("is neither shown to another agent nor listed or revoked by it; one for any agent is", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    const { mandate_id: common } = await mandateOf(shopper.token);
    const path = `/commerce/mandates/${id}`;
    for (const method of ["GET", "DELETE"])
      expectNotFound(await service.call(method, path, { key: other.token }));
    for (const name of ["get_mandate", "revoke_mandate"])
      expect(JSON.stringify((await tool(name, { mandate_id: id }, other.token)).json)).toContain(
        "not_found",
      );
    const listed = async (key: string) =>
      (await service.call("GET", "/commerce/mandates", { key })).json.mandates.map(
        (mandate: any) => mandate.mandate_id,
      );
    expect(await listed(other.token)).toEqual([common]);
    for (const key of [own.token, shopper.token]) expect(await listed(key)).toEqual([common, id]);
    expect((await mandateRow(service, id)).status).toBe("active");
    const ended = await service.call("DELETE", path, { key: own.token });
    expect(ended.json.status).toBe("revoked");
  });

  it("still covers the checkout after another agent tries to change it", async () => {
    const { mandate_id: id } = await mandateOf(own.token);
    const made = (await buy(id, own.token)).json;
    for (const [verb, body] of CHANGES())
      expectNotFound(await post(`/commerce/checkout/${made.id}/${verb}`, body, other.token));
    expect(await mandateRow(service, id)).toMatchObject({ reserved_amount: "40.00" });
    const changed = await post(
      `/commerce/checkout/${made.id}/update`,
      { line_items: itemsOf(shelf.camera, 2) },
      own.token,
    );
    expect([changed.status, changed.json.totals.total]).toEqual([200, "80.00"]);
    expect((await post(`/commerce/checkout/${made.id}/complete`, {}, own.token)).status).toBe(200);
  });
});

describe("a mandate created by the shopper", () => {
  it("is for the agents that it names", async () => {
    const { mandate_id: id, agent_clients: clients } = await mandateOf(shopper.token, {
      agent_clients: [other.client, other.client],
    });
    expect(clients).toEqual([other.client]);
    expectWrongAgent(await buy(id, own.token));
    const made = await buy(id, other.token);
    expect([made.status, made.json.client_id]).toEqual([201, other.client]);
  });

  it("is for every agent when it names none", async () => {
    const { mandate_id: id, agent_clients: clients } = await mandateOf(shopper.token);
    expect(clients).toBeNull();
    for (const key of [own.token, other.token])
      expect([key, (await buy(id, key)).status]).toEqual([key, 201]);
    expect((await buy(id, shopper.token)).json.reason).toBe("exceeded");
  });

  it.each([[[]], [[""]], [[7]], ["all"], [Array.from({ length: 21 }, (_, n) => `c${n}`)]])(
    "rejects the agent list %j",
    async (clients) => {
      const answer = await post(
        "/commerce/mandates",
        { ...MANDATE, agent_clients: clients },
        shopper.token,
      );
      expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    },
  );

  it("is listed with its agents; the shopper's own checkout has none", async () => {
    await mandateOf(shopper.token, { agent_clients: [own.client] });
    const { mandates } = (await service.call("GET", "/commerce/mandates", { key: shopper.token }))
      .json;
    expect(mandates[0].agent_clients).toEqual([own.client]);
    const made = await asShopper(service, shopper, "POST", "/commerce/checkout", {
      body: { line_items: itemsOf(shelf.camera) },
    });
    expect(made.json.client_id).toBeNull();
  });
});
