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

describe("parameters of A2A", () => {
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
