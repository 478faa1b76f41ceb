// The agent card and the answers of /a2a against the JSON Schemas of A2A 1.0 and 0.3. Skipped where
// those were not fetched: `node scripts/protocol-sources.ts`.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isFetched, sourceFolder } from "../../../scripts/protocol-sources.ts";
import { newPayer, seedProducts } from "../../support/agents/checkout.ts";
import type { Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

const isReady = isFetched("a2a-tck") && isFetched("a2a-0.3");
let service: Service;
let payer: Shopper;
beforeAll(async () => {
  if (!isReady) return;
  service = await startService();
  await seedProducts(service);
  payer = await newPayer(service);
});
afterAll(() => service?.stop());

type Definitions = { definitions: Record<string, object> };
const read = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8")) as Definitions;
// Neither file names its formats or types strictly.
const RULES = { strict: false, validateFormats: false, allErrors: true } as const;

/** The file of 1.0 refers to its definitions by names that it does not give them. */
function schemaOf10(name: string): ValidateFunction {
  const { definitions } = read(sourceFolder("a2a-tck"), "specification/a2a.json");
  const ajv = new Ajv2020(RULES);
  const fileOf = (title: string, folder: string) =>
    `${folder}${title.replaceAll(" ", "")}.jsonschema.json`;
  for (const [title, schema] of Object.entries(definitions))
    for (const folder of ["lf.a2a.v1.", "google.protobuf."])
      ajv.addSchema(schema, fileOf(title, folder));
  return ajv.getSchema(fileOf(name, "lf.a2a.v1.")) as ValidateFunction;
}

const schemaOf03 = (name: string): ValidateFunction => {
  const schema = read(sourceFolder("a2a-0.3"), "specification/json/a2a.json");
  return new Ajv(RULES).addSchema(schema, "a2a").compile({ $ref: `a2a#/definitions/${name}` });
};

const problemsOf = (validate: ValidateFunction, value: unknown) => {
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
};
const card = async (version: string) =>
  (
    await service.call("GET", `/.well-known/agent-card.json?shop=${SHOP}`, {
      key: null,
      headers: { "A2A-Version": version },
    })
  ).json;
const rpc = async (method: string, params: object, key: string | null = payer.token) =>
  (
    await service.call("POST", `/a2a?shop=${SHOP}`, {
      key,
      body: { jsonrpc: "2.0", id: 1, method, params },
    })
  ).json;

describe.skipIf(!isReady)("A2A 1.0", () => {
  const send = (part: object) =>
    rpc("SendMessage", { message: { messageId: randomUUID(), role: "ROLE_USER", parts: [part] } });

  it("its agent card matches the published schema", async () => {
    expect(problemsOf(schemaOf10("Agent Card"), await card("1.0"))).toEqual([]);
  });

  it("its answers match the published schema", async () => {
    const done = await send({ data: { skill: "product-catalog", arguments: { query: "lamp" } } });
    const asked = await send({ text: "A lamp, please." });
    const own = await send({ data: { skill: "identity-linking" } });
    for (const { result } of [done, asked, own])
      expect(problemsOf(schemaOf10("Send Message Response"), result)).toEqual([]);
    const task = await rpc("GetTask", { id: own.result.task.id });
    expect(problemsOf(schemaOf10("Task"), task.result)).toEqual([]);
    const listed = await rpc("ListTasks", { includeArtifacts: true });
    expect(listed.result.tasks).toHaveLength(1);
    expect(problemsOf(schemaOf10("List Tasks Response"), listed.result)).toEqual([]);
  });
});

describe.skipIf(!isReady)("A2A 0.3", () => {
  const send = (part: object) =>
    rpc("message/send", {
      message: { kind: "message", messageId: randomUUID(), role: "user", parts: [part] },
    });

  it("its agent card matches the published schema", async () => {
    expect(problemsOf(schemaOf03("AgentCard"), await card("0.3"))).toEqual([]);
  });

  it("its answers and errors match the published schema", async () => {
    const data = { skill: "product-catalog", arguments: { query: "lamp" } };
    const done = await send({ kind: "data", data });
    const asked = await send({ kind: "text", text: "A lamp, please." });
    for (const answer of [done, asked])
      expect(problemsOf(schemaOf03("SendMessageSuccessResponse"), answer)).toEqual([]);
    const task = await rpc("tasks/get", { id: done.result.id });
    expect(problemsOf(schemaOf03("GetTaskSuccessResponse"), task)).toEqual([]);
    for (const [method, params] of [
      ["tasks/get", { id: "nothing" }],
      ["tasks/cancel", { id: done.result.id }],
      ["message/stream", { message: {} }],
      ["tasks/burn", {}],
    ] as const)
      expect([
        method,
        problemsOf(schemaOf03("JSONRPCErrorResponse"), await rpc(method, params)),
      ]).toEqual([method, []]);
  });
});
