// What of A2A's tasks is kept: anybody may send a message, and each one leaves a task for an hour.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import { newMandate, newPayer } from "../../support/agents/checkout.ts";
import { openStore, type Shopper } from "../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { PASSWORD } from "../identity/people.ts";

let service: Service;
let payer: Shopper;
beforeAll(async () => {
  service = await startService();
  await openStore(service);
  payer = await newPayer(service);
});
afterAll(() => service.stop());

const rpc = async (method: string, params: object, key: string | null = null) =>
  (
    await service.call("POST", `/a2a?shop=${SHOP}`, {
      key,
      headers: { "A2A-Version": "1.0" },
      body: { jsonrpc: "2.0", id: "r-1", method, params },
    })
  ).json.result;
const send = async (data: object, key: string | null = null) =>
  (
    await rpc(
      "SendMessage",
      { message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ data }] } },
      key,
    )
  ).task;
const forgetTasks = () =>
  service.database.query("DELETE FROM kv WHERE left(key, 11) = 'agent_task:'");
const keptChars = async (id: string): Promise<number> => {
  const [row] = await service.database.query(
    "SELECT length(value::text) AS chars FROM kv WHERE shop = $1 AND key = $2",
    [SHOP, `agent_task:${id}`],
  );
  return Number(row?.chars);
};

describe("a kept task", () => {
  it("holds a note in place of a long answer, which the caller gets whole", async () => {
    for (let n = 0; n < 30; n += 1) await newMandate(service, payer);
    const made = await send({ tool: "list_mandates", arguments: { limit: 30 } }, payer.token);
    expect(made.artifacts[0].parts[0].data.result.mandates).toHaveLength(30);
    const kept = await rpc("GetTask", { id: made.id }, payer.token);
    expect(kept.status.state).toBe("TASK_STATE_COMPLETED");
    expect(kept.artifacts[0]).toMatchObject({
      name: "list_mandates",
      parts: [{ text: expect.any(String) }],
    });
    expect(await keptChars(made.id)).toBeLessThan(20_000);
    const short = await send({ tool: "list_mandates", arguments: { limit: 3 } }, payer.token);
    const { artifacts } = await rpc("GetTask", { id: short.id }, payer.token);
    expect(artifacts).toEqual(short.artifacts);
  });

  it("does not repeat what a caller wrote in wrong arguments", async () => {
    const made = await send({ tool: "search_catalog", arguments: { ["k".repeat(500_000)]: 1 } });
    expect(made.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
    expect(JSON.stringify(made.status).length).toBeLessThan(5_000);
    expect(await keptChars(made.id)).toBeLessThan(20_000);
  });

  it("that concerns no shopper is deleted beyond about 2,000 of its store, so that anonymous callers cannot fill the database", async () => {
    await forgetTasks();
    const { id: own } = await send({ tool: "get_identity" }, payer.token);
    const { id: first } = await send({ tool: "none" });
    await service.database.query(
      `INSERT INTO kv (shop, key, value, expires_at) SELECT shop, 'agent_task:' || gen_random_uuid(),
        jsonb_set(value, '{task,status,timestamp}', to_jsonb('2026-01-01T00:00:00.' || lpad(n::text, 4, '0') || 'Z')), expires_at
        FROM kv, generate_series(1, 2400) AS n WHERE shop = $1 AND key = $2`,
      [SHOP, `agent_task:${first}`],
    );
    // The oldest of all, which is not one of those without a token.
    await service.database.query(
      `UPDATE kv SET value = jsonb_set(value, '{task,status,timestamp}', '"2025-01-01T00:00:00.000Z"')
        WHERE shop = $1 AND key = $2`,
      [SHOP, `agent_task:${own}`],
    );
    const sent: string[] = [];
    for (let n = 0; n < 20; n += 1) sent.push((await send({ tool: "none" })).id);
    const [kept] = await service.database.query<{ n: string }>(
      `SELECT count(*) AS n FROM kv WHERE shop = $1 AND left(key, 11) = 'agent_task:'
        AND value->>'user_id' IS NULL`,
      [SHOP],
    );
    expect(Number(kept?.n)).toBeLessThanOrEqual(2_020);
    for (const id of [first, ...sent]) expect((await rpc("GetTask", { id })).id).toBe(id);
    expect((await rpc("GetTask", { id: own }, payer.token)).id).toBe(own);
  });

  it("that concerns no shopper counts for its own store, however many another store has", async () => {
    await service.addTenant(OTHER_SHOP);
    await forgetTasks();
    const sendTo = (shop: string) =>
      service.call("POST", `/a2a?shop=${shop}`, {
        key: null,
        headers: { "A2A-Version": "1.0" },
        body: {
          jsonrpc: "2.0",
          id: "r-1",
          method: "SendMessage",
          params: {
            message: {
              messageId: randomUUID(),
              role: "ROLE_USER",
              parts: [{ data: { tool: "none" } }],
            },
          },
        },
      });
    await service.database.query(
      `INSERT INTO kv (shop, key, value, expires_at) SELECT s, 'agent_task:' || gen_random_uuid(),
        '{"user_id": null, "task": {"status": {"timestamp": "2026-01-01T00:00:00Z"}}}', now() + interval '1 hour'
        FROM unnest($1::text[]) AS s, generate_series(1, 2100)`,
      [[SHOP, OTHER_SHOP]],
    );
    for (let n = 0; n < 20; n += 1) {
      await sendTo(SHOP);
      await sendTo(OTHER_SHOP);
    }
    const counts = await service.database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM kv WHERE shop = ANY($1) AND left(key, 11) = 'agent_task:'
        AND value->>'user_id' IS NULL GROUP BY shop`,
      [[SHOP, OTHER_SHOP]],
    );
    expect(Math.max(...counts.map(({ n }) => n))).toBeLessThanOrEqual(2_020);
  });

  it("is deleted beyond the newest 200 of its shopper and agent", async () => {
    const tokenOf = async (): Promise<string> =>
      (await newTokens(service, await newClient(service), payer.token)).access_token;
    const [busy, other] = [await tokenOf(), await tokenOf()];
    const { id: others } = await send({ tool: "get_identity" }, other);
    const { id: first } = await send({ tool: "get_identity" }, busy);
    await service.database.query(
      `INSERT INTO kv (shop, key, value, expires_at) SELECT shop, 'agent_task:' || gen_random_uuid(),
        jsonb_set(value, '{task,status,timestamp}', to_jsonb('2026-01-01T00:00:00.' || lpad(n::text, 3, '0') || 'Z')), expires_at
        FROM kv, generate_series(1, 230) AS n WHERE shop = $1 AND key = $2`,
      [SHOP, `agent_task:${first}`],
    );
    const { id: last } = await send({ tool: "get_identity" }, busy);
    const { tasks, totalSize } = await rpc("ListTasks", { pageSize: 2 }, busy);
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual([last, first]);
    expect(totalSize).toBe(200);
    await service.database.query("UPDATE kv SET expires_at = now() WHERE key = $1", [
      `agent_task:${last}`,
    ]);
    const [newest] = (await rpc("ListTasks", { pageSize: 1 }, busy)).tasks;
    expect(newest.id).toBe(first);
    expect((await rpc("ListTasks", {}, other)).tasks.map(({ id }: { id: string }) => id)).toEqual([
      others,
    ]);
  });

  it("goes with its shopper's account, and no other shopper's does", async () => {
    const leaving = await newPayer(service);
    const { id: theirs } = await send({ tool: "get_identity" }, leaving.token);
    const { id: own } = await send({ tool: "get_identity" }, payer.token);
    const left = await service.call("DELETE", "/auth/me", {
      key: leaving.token,
      body: { password: PASSWORD },
    });
    expect(left.json).toEqual({ deleted: true });
    const kept = await service.database.query<{ key: string }>(
      "SELECT key FROM kv WHERE shop = $1 AND key = ANY($2)",
      [SHOP, [theirs, own].map((id) => `agent_task:${id}`)],
    );
    expect(kept.map(({ key }) => key)).toEqual([`agent_task:${own}`]);
  });
});

describe("a token that is not valid in this store", () => {
  it.each([
    ["a made-up token", (): string => "nonsense", SHOP],
    ["a session token of another store", (): string => payer.token, OTHER_SHOP],
  ] as const)(
    "is a 401 where none is needed, and no task is kept: %s",
    async (_what, key, shop) => {
      const tasks = () =>
        service.database.query(
          "SELECT key FROM kv WHERE shop = $1 AND key LIKE 'agent_task:%' ORDER BY key",
          [shop],
        );
      const before = await tasks();
      const part = { data: { skill: "product-catalog", arguments: {} } };
      for (const [method, params] of [
        ["SendMessage", { message: { messageId: "m-1", role: "ROLE_USER", parts: [part] } }],
        ["GetTask", { id: randomUUID() }],
        ["ListTasks", {}],
      ] as const) {
        const answer = await service.call("POST", `/a2a?shop=${shop}`, {
          key: key(),
          headers: { "A2A-Version": "1.0" },
          body: { jsonrpc: "2.0", id: "r-1", method, params },
        });
        expect([answer.status, answer.json.id]).toEqual([401, "r-1"]);
        expect(answer.headers.get("www-authenticate")).toContain('error="invalid_token"');
      }
      expect(await tasks()).toEqual(before);
    },
  );
});
