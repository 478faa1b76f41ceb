// A2A's parameters: the SDK checks no types, so a wrong one is our answer.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  await openStore(service, SHOP);
});
afterAll(() => service.stop());

const post = (body: unknown) => service.call("POST", `/a2a?shop=${SHOP}`, { key: null, body });
const rpc = (method: string, params: object) => post({ jsonrpc: "2.0", id: "r-1", method, params });

const nested = (depth: number): object =>
  JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
const sentence = (text: string, fields: object = {}) =>
  rpc("SendMessage", {
    message: { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text }], ...fields },
  });

describe("parameters of A2A", () => {
  it("that are left out count as none: JSON-RPC lets a caller leave them out", async () => {
    const bare = async (method: string) => (await post({ jsonrpc: "2.0", id: "r-1", method })).json;
    expect((await bare("ListTasks")).result).toMatchObject({ tasks: [], totalSize: 0 });
    const codes = [];
    for (const method of ["FindTasks", "tasks/find", "SendMessage", "GetExtendedAgentCard"])
      codes.push((await bare(method)).error.code);
    expect(codes).toEqual([-32_601, -32_601, -32_602, -32_004]);
  });

  it("of a wrong type answer invalid params that names them", async () => {
    const message = { kind: "message", role: "user", messageId: "m", parts: [null] };
    for (const [method, params, name] of [
      ["tasks/pushNotificationConfig/set", {}, "taskId"],
      ["tasks/get", { id: 5 }, "id"],
      ["GetTask", { id: 5 }, "id"],
      ["message/send", { message }, "message.parts.0"],
      ["SendMessage", { message: { ...message, role: "ROLE_USER" } }, "message.parts.0"],
      ["message/send", { message: "A lamp" }, "message"],
      ["ListTasks", { contextId: 7 }, "contextId"],
      ["ListTasks", { includeArtifacts: "no" }, "includeArtifacts"],
      ["GetTask", { id: "t", historyLength: "all" }, "historyLength"],
    ] as const) {
      const { error } = (await rpc(method, params)).json;
      expect([method, error.code, error.message]).toEqual([
        method,
        -32_602,
        `params.${name} is missing or not valid.`,
      ]);
    }
  });

  it("that are optional and of a wrong type answer invalid params that names them, in both versions", async () => {
    const data = { skill: "product-catalog", arguments: {} };
    const long = Array.from({ length: 10_000 }, () => ({}));
    const bad: [name: string, params: object, message?: object][] = [
      ["configuration", { configuration: "fast" }],
      ["configuration.acceptedOutputModes", { configuration: { acceptedOutputModes: "text" } }],
      ["configuration.historyLength", { configuration: { historyLength: "all" } }],
      ["metadata", { metadata: "x" }],
      ["message.contextId", {}, { contextId: 5 }],
      ["message.extensions", {}, { extensions: "x" }],
      ["message.extensions.0", {}, { extensions: [1] }],
      ["message.referenceTaskIds", {}, { referenceTaskIds: { a: 1 } }],
      ["message.metadata", {}, { metadata: [] }],
      ["message.parts.0.text", {}, { parts: [{ kind: "text", text: 5 }] }],
      ["message.parts.0.file", {}, { parts: [{ kind: "file", file: "x" }] }],
      ["message.parts.0.file.bytes", {}, { parts: [{ kind: "file", file: { bytes: 5 } }] }],
      ["message.parts.0.raw", {}, { parts: [{ raw: 5 }] }],
      ["message.parts.0.url", {}, { parts: [{ url: {} }] }],
      ["message.parts.0.data", {}, { parts: [{ kind: "data", data: nested(1_900) }] }],
      ["message.parts.0.data", {}, { parts: [{ kind: "data", data: { list: long } }] }],
      ["message.metadata", {}, { metadata: { list: long } }],
      ["message.parts", {}, { parts: Array.from({ length: 51 }, () => ({ text: "x" })) }],
      ["message.parts", {}, { parts: Array.from({ length: 400_000 }, () => 1) }],
      ["message.extensions", {}, { extensions: Array.from({ length: 200_000 }, () => 1) }],
      ["message.contextId", {}, { context_id: "c".repeat(256) }],
    ];
    for (const [method, role] of [
      ["SendMessage", "ROLE_USER"],
      ["message/send", "user"],
    ] as const)
      for (const [name, params, message] of bad) {
        const { error } = (
          await rpc(method, {
            message: {
              kind: "message",
              messageId: "m",
              role,
              parts: [{ kind: "data", data }],
              ...message,
            },
            ...params,
          })
        ).json;
        expect([method, name, error?.code, error?.message]).toEqual([
          method,
          name,
          -32_602,
          `params.${name} is missing or not valid.`,
        ]);
      }
  });

  it("of a message without parts or role, and an invalid id, are rejected", async () => {
    for (const [method, role] of [
      ["SendMessage", "ROLE_USER"],
      ["message/send", "user"],
    ] as const) {
      const { json } = await rpc(method, {
        message: { kind: "message", messageId: randomUUID(), role, parts: [] },
      });
      expect(json.error.code).toBe(-32_602);
      const nobodys = await rpc(method, {
        message: {
          kind: "message",
          messageId: randomUUID(),
          parts: [{ kind: "text", text: "A lamp, please." }],
        },
      });
      expect(nobodys.json.error.code).toBe(-32_602);
    }
    expect(
      (await post({ jsonrpc: "2.0", id: { bad: "type" }, method: "GetTask", params: { id: "x" } }))
        .json.error.code,
    ).toBe(-32_600);
  });
});

describe("an A2A task without a token", () => {
  it("is the one that its id names: no other field of a message reaches another task", async () => {
    const own = (await sentence("hello")).json.result.task;
    const other = (await sentence("the other's")).json.result.task;
    for (const field of ["task_id", "taskId"]) {
      const answer = await rpc("SendMessage", {
        id: own.id,
        message: {
          messageId: randomUUID(),
          role: "ROLE_USER",
          contextId: own.contextId,
          [field]: randomUUID(),
          parts: [{ text: "overwritten" }],
        },
      });
      expect([field, answer.json.error?.code]).toEqual([field, -32_001]);
    }
    const kept = (await rpc("GetTask", { id: other.id })).json.result;
    expect(JSON.stringify(kept)).toContain("the other's");
    expect(JSON.stringify(kept)).not.toContain("overwritten");
  });

  it("keeps its last ten messages, with a note in place of a long one", async () => {
    const { id, contextId } = (await sentence(`long ${"x".repeat(100_000)}`)).json.result.task;
    const afterOne = JSON.stringify((await rpc("GetTask", { id })).json.result);
    expect(afterOne).toContain("This message was too long to be kept.");
    expect(afterOne.length).toBeLessThan(10_000);
    for (let n = 1; n <= 12; n += 1) await sentence(`message ${n}.`, { taskId: id, contextId });
    const { history } = (await rpc("GetTask", { id })).json.result;
    const texts = history.map((message: { parts: { text: string }[] }) => message.parts[0]?.text);
    expect(texts.length).toBeLessThanOrEqual(10);
    expect(texts.at(-1)).toBe("message 12.");
    expect(texts).not.toContain("message 1.");
  });
});
