// A2A over HTTP: both protocol versions, HTTP statuses of failures, and tasks visible only to their
// shopper's agents.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  mandateRow,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { consent, type Shopper } from "../../support/agents/commerce.ts";
import { findEverywhere } from "../../support/privacy.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
beforeAll(async () => {
  service = await startService();
  shelf = await seedProducts(service);
  payer = await newPayer(service);
});
afterAll(() => service.stop());

type Options = { key?: string | null; shop?: string; headers?: Record<string, string> };
const post = (body: unknown, { key = null, shop = SHOP, headers = {} }: Options = {}) =>
  service.call("POST", `/a2a?shop=${shop}`, { key, headers, body });
const rpc = (method: string, params: object, options: Options = {}) =>
  post({ jsonrpc: "2.0", id: "r-1", method, params }, options);
const part = (data: object) => ({ kind: "data", data });
const send = (data: object, options: Options = {}, fields: object = {}) =>
  rpc(
    "message/send",
    {
      message: {
        kind: "message",
        role: "user",
        messageId: randomUUID(),
        parts: [part(data)],
        ...fields,
      },
    },
    options,
  );
const resultOf = (answer: { json: any }) => answer.json.result.artifacts[0].parts[0].data;

describe("A2A protocol versions", () => {
  it("are selected by A2A-Version or by the spelling of the method", async () => {
    const message = {
      messageId: "m-1",
      role: "ROLE_USER",
      parts: [{ data: { skill: "product-catalog", arguments: { query: "lamp" } } }],
    };
    for (const headers of [{ "A2A-Version": "1.0" }, {}] as Record<string, string>[]) {
      const { result } = (await rpc("SendMessage", { message }, { headers })).json;
      expect(result.task.status.state).toBe("TASK_STATE_COMPLETED");
      expect(result.task.artifacts[0].parts[0].data.result.products[0].title).toBe("Desk Lamp");
      expect((await rpc("GetTask", { id: result.task.id }, { headers })).json.result).toMatchObject(
        { id: result.task.id, status: { state: "TASK_STATE_COMPLETED" } },
      );
    }
    for (const headers of [{ "A2A-Version": "0.3" }, { "A2A-Version": "0.3.0" }, {}] as Record<
      string,
      string
    >[]) {
      const answer = await send(
        { skill: "product-catalog", arguments: { query: "lamp" } },
        { headers },
      );
      expect(answer.json.result).toMatchObject({ kind: "task", status: { state: "completed" } });
      expect(
        (await rpc("tasks/get", { id: answer.json.result.id }, { headers })).json.result,
      ).toMatchObject({ kind: "task", id: answer.json.result.id });
    }
  });

  it("other versions, streams, unknown methods and malformed messages answer JSON-RPC errors", async () => {
    expect(
      (await rpc("SendMessage", { message: {} }, { headers: { "A2A-Version": "9.0" } })).json.error
        .code,
    ).toBe(-32_009);
    expect((await rpc("tasks/burn", {})).json.error.code).toBe(-32_601);
    expect((await rpc("tasks/get", { id: "nothing" })).json.error.code).toBe(-32_001);
    const stream = await rpc("message/stream", {
      message: {
        kind: "message",
        role: "user",
        messageId: "m",
        parts: [part({ skill: "product-catalog" })],
      },
    });
    expect(stream.headers.get("content-type")).toContain("application/json");
    expect(stream.json.error.code).toBe(-32_004);
    for (const [body, code] of [
      ["{", -32_700],
      [null, -32_600],
      [[], -32_600],
      [{ id: 1, method: "message/send" }, -32_600],
      [{ jsonrpc: "2.0", id: 1, method: 7 }, -32_600],
    ] as const) {
      const answer = await post(body);
      expect([body, answer.status, answer.json.error.code]).toEqual([body, 200, code]);
    }
    const sentence = await post("A lamp, please.", { headers: { "Content-Type": "text/plain" } });
    expect([sentence.status, sentence.json.error.code]).toEqual([415, -32_005]);
    expect((await service.call("GET", `/a2a?shop=${SHOP}`, { key: null })).status).toBe(405);
    expect(
      (await send({ skill: "product-catalog" }, { headers: { Origin: "https://evil.example" } }))
        .status,
    ).toBe(403);
    expect((await post(JSON.stringify({ padding: "x".repeat(1_100_000) }))).status).toBe(413);
  });
});

it("what the card does not offer is refused with A2A's own codes", async () => {
  const { id } = (await send({ skill: "product-catalog" })).json.result;
  const config = { taskId: id, id: "c-1", url: "https://agent.example/hook" };
  const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "A lamp, please." }] };
  for (const [method, params, code] of [
    ["SendStreamingMessage", { message }, -32_004],
    ["SubscribeToTask", { id }, -32_004],
    ["CreateTaskPushNotificationConfig", config, -32_003],
    ["GetTaskPushNotificationConfig", config, -32_003],
    ["ListTaskPushNotificationConfigs", { taskId: id }, -32_003],
    ["DeleteTaskPushNotificationConfig", config, -32_003],
    ["CancelTask", { id }, -32_002],
    ["tasks/resubscribe", { id }, -32_004],
    ["tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig: config }, -32_003],
    ["tasks/cancel", { id }, -32_002],
  ] as const) {
    const answer = await rpc(method, params);
    expect([method, answer.status, answer.json.error?.code]).toEqual([method, 200, code]);
    expect(answer.headers.get("content-type")).toContain("application/json");
  }
});

describe("messages", () => {
  const sentence = { text: "A lamp, please." };
  const message = (parts: object[], fields: object = {}) => ({
    message: { messageId: randomUUID(), role: "ROLE_USER", parts, ...fields },
  });

  it("continue in their own task and may accompany a skill call", async () => {
    const first = (await rpc("SendMessage", message([sentence]))).json.result.task;
    const second = (await rpc("SendMessage", message([sentence], { taskId: first.id }))).json.result
      .task;
    expect([second.id, second.contextId, second.status.state]).toEqual([
      first.id,
      first.contextId,
      "TASK_STATE_INPUT_REQUIRED",
    ]);
    expect(
      (await rpc("GetTask", { id: first.id })).json.result.history.filter(
        ({ role }: { role: string }) => role === "ROLE_USER",
      ),
    ).toHaveLength(2);
    const asked = await rpc(
      "SendMessage",
      message([sentence, { data: { skill: "product-catalog", arguments: { query: "lamp" } } }], {
        taskId: first.id,
      }),
    );
    expect(asked.json.result.task).toMatchObject({
      id: first.id,
      status: { state: "TASK_STATE_COMPLETED" },
    });
  });
});

describe("a skill about a shopper", () => {
  it.each(["identity-linking", "consent-management", "tag-sync", "checkout-session"])(
    "%s answers 401 or 403 without a token, without the consent, and at the wrong store",
    async (skill) => {
      const data = {
        skill,
        arguments:
          skill === "checkout-session"
            ? { line_items: [{ item: { id: shelf.camera }, quantity: 1 }] }
            : {},
      };
      expect((await send(data, { key: payer.token })).json.result.status.state).toBe("completed");
      const stranger = await send(data);
      expect([stranger.status, stranger.json.id, stranger.headers.get("www-authenticate")]).toEqual(
        [
          401,
          "r-1",
          `Bearer realm="${service.url}/${SHOP}", resource_metadata="${service.url}/.well-known/oauth-protected-resource/a2a?shop=${SHOP}"`,
        ],
      );
      expect((await send(data, { key: payer.token, shop: OTHER_SHOP })).status).toBe(401);
      const shy = await newPayer(service);
      await consent(service, shy, { consent_a2a: false });
      const refused = await send(data, { key: shy.token });
      expect([refused.status, refused.json.error.data.code]).toEqual([
        403,
        "agent_consent_required",
      ]);
    },
  );

  it("requires its own scope", async () => {
    const { access_token: token } = await newTokens(
      service,
      await newClient(service),
      payer.token,
      { scope: "identity:read" },
    );
    expect((await send({ skill: "identity-linking" }, { key: token })).status).toBe(200);
    expect(
      (await send({ skill: "checkout-session", arguments: { id: randomUUID() } }, { key: token }))
        .json.error.data.code,
    ).toBe("insufficient_scope");
  });

  it("that fails reports the failure in the task; wrong arguments ask for input", async () => {
    for (const request of [
      { tool: "get_checkout", arguments: { id: randomUUID() } },
      { skill: "product-catalog", arguments: { id: "gid://shopify/Product/1" } },
    ]) {
      const failed = await send(request, { key: payer.token });
      expect(failed.json.result.status.state).toBe("failed");
      expect(resultOf(failed).result).toMatchObject({
        ucp: { status: "error" },
        messages: [{ code: "not_found" }],
      });
    }
    const wrong = await send({ tool: "get_checkout", arguments: {} }, { key: payer.token });
    expect([
      wrong.json.result.status.state,
      wrong.json.result.status.message.parts[0].text,
    ]).toEqual(["input-required", expect.stringContaining("id")]);
  });
});

describe("a checkout", () => {
  it("is created once by a message sent twice, updated, and canceled, with UCP's own operation names", async () => {
    const mandate = await newMandate(service, payer, { usage: "multi" });
    const ask = (messageId: string) =>
      send(
        {
          skill: "checkout-session",
          arguments: {
            line_items: [{ item: { id: shelf.camera }, quantity: 1 }],
            mandate_id: mandate,
          },
        },
        { key: payer.token },
        { messageId },
      );
    const messageId = randomUUID();
    const [first, again] = [resultOf(await ask(messageId)), resultOf(await ask(messageId))];
    expect(again["a2a.ucp.checkout"].id).toBe(first["a2a.ucp.checkout"].id);
    expect((await mandateRow(service, mandate)).reservations).toBe(1);
    const { id } = first["a2a.ucp.checkout"];
    const changed = await send(
      {
        action: "update_checkout",
        id,
        checkout: { line_items: [{ item: { id: shelf.camera }, quantity: 2 }] },
      },
      { key: payer.token },
    );
    expect(resultOf(changed)["a2a.ucp.checkout"].totals).toContainEqual({
      type: "total",
      amount: 8000,
    });
    expect(
      resultOf(
        await send(
          { skill: "checkout-session", arguments: { action: "cancel", id } },
          { key: payer.token },
        ),
      ).result.status,
    ).toBe("canceled");
  });
});

describe("a task about a checkout", () => {
  it("keeps neither address nor buyer in its messages and results; the answer itself has them", async () => {
    const secret = `Geheimweg-${randomUUID().slice(0, 8)}`;
    const destination = {
      id: "home",
      street_address: secret,
      address_country: "DE",
      postal_code: "20359",
      last_name: secret,
      doorbell: secret,
    };
    const checkout = {
      line_items: [{ item: { id: shelf.camera }, quantity: 1 }],
      buyer: { first_name: secret, email: `${secret}@example.com` },
      context: { address_locality: secret },
      fulfillment: { methods: [{ type: "shipping", destinations: [destination] }] },
    };
    const answer = await send(
      { tool: "create_checkout", arguments: { checkout } },
      { key: payer.token },
    );
    const { fulfillment } = resultOf(answer).result;
    expect(fulfillment.methods[0].destinations[0].street_address).toBe(secret);
    const methods = [{ selected_destination_id: `${secret} 7`, destinations: [destination] }];
    const wrong = {
      line_items: "none",
      delivery: { address: destination },
      fulfillment: { methods },
    };
    await send({ skill: "checkout-session", arguments: wrong }, { key: payer.token });
    expect(await findEverywhere(service, [secret])).toEqual([]);

    const kept = await rpc("tasks/get", { id: answer.json.result.id }, { key: payer.token });
    const { history } = kept.json.result;
    expect(resultOf(kept).result.fulfillment.methods[0].destinations[0].id).toBe("home");
    expect(history[0].parts[0].data.arguments.checkout).toEqual({
      line_items: checkout.line_items,
      context: {},
      fulfillment: { methods: [{ type: "shipping", destinations: [{ id: "home" }] }] },
    });
  });
});

describe("a task about a shopper", () => {
  it("is visible only to that shopper's agents, while they have access", async () => {
    const owner = await newPayer(service);
    const { id } = (await send({ skill: "identity-linking" }, { key: owner.token })).json.result;
    expect((await rpc("tasks/get", { id }, { key: owner.token })).json.result.id).toBe(id);
    expect((await rpc("tasks/get", { id })).status).toBe(401);
    expect((await rpc("tasks/get", { id }, { key: payer.token })).json.error.code).toBe(-32_001);
    expect((await rpc("tasks/get", { id }, { shop: OTHER_SHOP, key: null })).json.error.code).toBe(
      -32_001,
    );
    await consent(service, owner, { consent_a2a: false });
    expect((await rpc("tasks/get", { id }, { key: owner.token })).status).toBe(403);
  });

  it("is overwritten by nobody else, however its id is spelled", async () => {
    const owner = await newPayer(service);
    const { id } = (await send({ skill: "identity-linking" }, { key: owner.token })).json.result;
    const own = (
      await rpc("SendMessage", {
        message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "hello" }] },
      })
    ).json.result.task;
    for (const field of ["task_id", "taskId"])
      for (const key of [null, payer.token]) {
        const message = {
          messageId: randomUUID(),
          role: "ROLE_USER",
          contextId: own.contextId,
          [field]: id,
          parts: [{ text: "overwritten" }],
        };
        const answer = await rpc("SendMessage", { id: own.id, message }, { key });
        expect([field, answer.json.result]).toEqual([field, undefined]);
      }
    const kept = await rpc("tasks/get", { id }, { key: owner.token });
    expect(kept.json.result.status.state).toBe("completed");
    expect(JSON.stringify(kept.json)).not.toContain("overwritten");
    expect((await rpc("tasks/get", { id })).status).toBe(401);
  });

  it("is stored in the database and names its person, so that a redaction finds it", async () => {
    const { id } = (await send({ skill: "identity-linking" }, { key: payer.token })).json.result;
    const [row] = await service.database.query(
      `SELECT value->>'user_id' AS user_id, expires_at < now() + interval '61 minutes' AS ends
        FROM kv WHERE shop = $1 AND key = $2`,
      [SHOP, `agent_task:${id}`],
    );
    expect(row).toEqual({ user_id: String(payer.id), ends: true });
  });
});

describe("ListTasks", () => {
  const list = async (params: object, options: Options = {}) => {
    const { status, json } = await rpc("ListTasks", params, options);
    return { status, error: json.error, ...json.result };
  };
  const idsOf = ({ tasks }: { tasks: { id: string }[] }) => tasks.map(({ id }) => id);

  it("lists the shopper's tasks newest first, page by page, without another shopper's", async () => {
    const owner = await newPayer(service);
    const made: string[] = [];
    for (const contextId of ["c-1", "c-1", "c-2"])
      made.unshift(
        (await send({ skill: "identity-linking" }, { key: owner.token }, { contextId })).json.result
          .id,
      );
    await send({ skill: "identity-linking" }, { key: payer.token });

    const all = await list({}, { key: owner.token });
    expect([new Set(idsOf(all)), all.totalSize, all.nextPageToken]).toEqual([new Set(made), 3, ""]);
    const changes = all.tasks.map((task: any) => task.status.timestamp);
    expect(changes).toEqual(changes.toSorted().toReversed());
    expect(all.tasks.some((task: object) => "artifacts" in task)).toBe(false);
    const first = await list({ pageSize: 2 }, { key: owner.token });
    const second = await list(
      { pageSize: 2, pageToken: first.nextPageToken },
      { key: owner.token },
    );
    expect([...idsOf(first), ...idsOf(second)]).toEqual(idsOf(all));
    expect([first.pageSize, second.nextPageToken]).toEqual([2, ""]);

    const own = await list({ contextId: "c-1", includeArtifacts: true }, { key: owner.token });
    expect(idsOf(own).toSorted()).toEqual(made.slice(1).toSorted());
    expect(own.tasks[0].artifacts).toHaveLength(1);
    const failed = await list({ status: "TASK_STATE_FAILED" }, { key: owner.token });
    expect([idsOf(failed), failed.totalSize]).toEqual([[], 0]);
    const later = { statusTimestampAfter: "2999-01-01T00:00:00Z" };
    expect(idsOf(await list(later, { key: owner.token }))).toEqual([]);
  });

  it("shows a token what its scopes cover, and a caller without a token nothing", async () => {
    const owner = await newPayer(service);
    const client = await newClient(service);
    const tokenFor = async (scope: string): Promise<string> =>
      (await newTokens(service, client, owner.token, { scope })).access_token;
    const all = { key: await tokenFor("identity:read dev.ucp.shopping.checkout:manage") };
    const { id } = (await send({ skill: "identity-linking" }, all)).json.result;
    await send({ tool: "get_checkout", arguments: { id: randomUUID() } }, all);
    expect((await list({}, all)).totalSize).toBe(2);
    expect(idsOf(await list({}, { key: await tokenFor("identity:read") }))).toEqual([id]);
    expect(await list({})).toMatchObject({ status: 200, tasks: [], nextPageToken: "" });
    expect((await list({}, { key: owner.token, shop: OTHER_SHOP })).status).toBe(401);
    await consent(service, owner, { consent_a2a: false });
    expect((await list({}, { key: owner.token })).status).toBe(403);
  });

  it("lists the caller's tasks only: another agent of the same shopper sees and reads none of them", async () => {
    const owner = await newPayer(service);
    const newAgent = async () => ({
      key: (
        await newTokens(service, await newClient(service), owner.token, { scope: "identity:read" })
      ).access_token,
    });
    const [one, two] = [await newAgent(), await newAgent()];
    const { id } = (await send({ skill: "identity-linking" }, one)).json.result;
    expect(idsOf(await list({}, one))).toEqual([id]);
    expect((await rpc("GetTask", { id }, one)).json.result.id).toBe(id);
    for (const other of [two, { key: owner.token }]) {
      expect(idsOf(await list({}, other))).toEqual([]);
      expect((await rpc("GetTask", { id }, other)).json.error.code).toBe(-32_001);
    }
  });

  it("lists what its caller sent about no shopper too, and to no other caller", async () => {
    const owner = await newPayer(service);
    const scope = "identity:read";
    const client = await newClient(service);
    const agent = { key: (await newTokens(service, client, owner.token, { scope })).access_token };
    const made = [
      (await send({ skill: "product-catalog" }, agent)).json.result.id,
      (await send({ words: "A lamp, please." }, agent)).json.result.id,
    ];
    expect(new Set(idsOf(await list({}, agent)))).toEqual(new Set(made));
    expect(idsOf(await list({}, { key: owner.token }))).toEqual([]);
    expect(idsOf(await list({}, { key: payer.token }))).not.toContain(made[0]);
    // Who knows the id reads it, as without a token.
    expect((await rpc("tasks/get", { id: made[0] })).json.result.id).toBe(made[0]);
  });

  it("serves what needs no token without the consent of the token's shopper, and lists nothing", async () => {
    const owner = await newPayer(service);
    await consent(service, owner, { consent_a2a: false });
    const { json } = await send({ skill: "product-catalog" }, { key: owner.token });
    expect(json.result.status.state).toBe("completed");
    await consent(service, owner, { consent_a2a: true });
    expect(idsOf(await list({}, { key: owner.token }))).toEqual([]);
  });

  it("rejects wrong parameters and cursors of another list", async () => {
    const owner = await newPayer(service);
    for (const n of [1, 2]) {
      const answer = await send({ skill: "identity-linking" }, { key: owner.token });
      expect([n, answer.status]).toEqual([n, 200]);
    }
    const { nextPageToken } = await list({ pageSize: 1 }, { key: owner.token });
    for (const [params, key] of [
      [{ pageSize: 0 }, owner.token],
      [{ pageSize: 101 }, owner.token],
      [{ statusTimestampAfter: "yesterday" }, owner.token],
      [{ pageToken: "made-up" }, owner.token],
      [{ pageToken: nextPageToken }, payer.token],
    ] as const) {
      const { status, error } = await list(params, { key });
      expect([params, status, error?.code]).toEqual([params, 200, -32_602]);
    }
  });
});
