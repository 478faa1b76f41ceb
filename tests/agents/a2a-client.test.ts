// The A2A SDK's own client in 1.0 and in 0.3: it reads the agent card, sends messages, and reads tasks.
import { Role, TaskState, type Message, type Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../support/agents/agent.ts";
import { openStore } from "../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../support/service.ts";
import { signUp, type Person } from "../contract/identity/people.ts";

let service: Service;
let person: Person;
let token: string;
beforeAll(async () => {
  service = await startService();
  await openStore(service);
  person = await signUp(service);
  token = (await newTokens(service, await newClient(service), person.token)).access_token;
});
afterAll(() => service.stop());

const CARD = "/.well-known/agent-card.json";
const legacyCompat = { enabled: true };
const fetchAs =
  (bearer: string | null): typeof fetch =>
  (input, init) =>
    fetch(input, {
      ...init,
      headers: {
        ...(init?.headers as Record<string, string>),
        ...(bearer && { Authorization: `Bearer ${bearer}` }),
      },
    });

async function connect(version: "1.0" | "0.3", bearer: string | null): Promise<Client> {
  const resolver = new DefaultAgentCardResolver({ legacyCompat });
  const factory = new ClientFactory({
    ...ClientFactoryOptions.default,
    cardResolver: resolver,
    transports: [new JsonRpcTransportFactory({ fetchImpl: fetchAs(bearer), legacyCompat })],
  });
  if (version === "1.0") return factory.createFromUrl(service.url, `${CARD}?shop=${SHOP}`);
  const card = (await service.call("GET", `${CARD}?shop=${SHOP}`, { key: null })).json;
  // Fields that a 0.3 client does not know.
  for (const name of ["supportedInterfaces", "securityRequirements"]) delete card[name];
  return factory.createFromAgentCard(resolver.normalizeAgentCard(card));
}

let count = 0;
const message = (
  content: NonNullable<Message["parts"][number]["content"]>,
  fields: Partial<Message> = {},
): Message => ({
  messageId: `m-${(count += 1)}`,
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [{ content, metadata: undefined, filename: "", mediaType: "" }],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...fields,
});
const send = async (client: Client, one: Message): Promise<Task> =>
  (await client.sendMessage({
    tenant: "",
    message: one,
    configuration: undefined,
    metadata: undefined,
  })) as Task;
const data = (value: object, fields: Partial<Message> = {}) =>
  message({ $case: "data", value }, fields);
const answerOf = (task: Task) =>
  (task.artifacts[0]?.parts[0]?.content as { value: any } | undefined)?.value;

describe.each(["1.0", "0.3"] as const)("a client of A2A %s", (version) => {
  it("searches the catalog by a skill and reads the task again", async () => {
    const client = await connect(version, null);
    expect(client.protocolVersion).toBe(version);
    const task = await send(
      client,
      data({ skill: "product-catalog", arguments: { query: "lamp" } }),
    );
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(answerOf(task)).toMatchObject({
      tool: "search_catalog",
      result: { ucp: { status: "success" }, products: [{ title: "Desk Lamp" }] },
    });
    expect(answerOf(await client.getTask({ tenant: "", id: task.id }))).toEqual(answerOf(task));
    await expect(
      client.cancelTask({ tenant: "", id: task.id, metadata: undefined }),
    ).rejects.toThrow();
    await expect(client.getTask({ tenant: "", id: "nothing" })).rejects.toThrow();
  });

  it("gets instructions when it sends plain text, and continues in the same task", async () => {
    const client = await connect(version, null);
    const task = await send(client, message({ $case: "text", value: "Do you sell lamps?" }));
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    const help = JSON.stringify(task.status?.message);
    for (const skill of [
      "identity-linking",
      "consent-management",
      "tag-sync",
      "product-catalog",
      "checkout-session",
    ])
      expect(help).toContain(skill);
    const done = await send(
      client,
      data(
        { tool: "search_catalog", arguments: { catalog: { query: "lamp" } } },
        { taskId: task.id, contextId: task.contextId },
      ),
    );
    expect([done.id, done.status?.state]).toEqual([task.id, TaskState.TASK_STATE_COMPLETED]);
    const other = await send(client, message({ $case: "text", value: "Never mind." }));
    expect(
      (await client.cancelTask({ tenant: "", id: other.id, metadata: undefined })).status?.state,
    ).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it("reads the shopper's own data with a token and is rejected without one", async () => {
    const client = await connect(version, token);
    const task = await send(client, data({ skill: "consent-management" }));
    expect(answerOf(task)).toMatchObject({
      tool: "get_consent",
      result: { consents: { a2a: true } },
    });
    expect(answerOf(await send(client, data({ skill: "tag-sync" })))).toMatchObject({
      tool: "get_tags",
      result: { tags: expect.any(Array) },
    });
    expect(answerOf(await send(client, data({ skill: "identity-linking" })))).toMatchObject({
      result: { user: { email: person.email } },
    });
    const stranger = await connect(version, null);
    await expect(send(stranger, data({ skill: "consent-management" }))).rejects.toThrow();
    await expect(stranger.getTask({ tenant: "", id: task.id })).rejects.toThrow();
  });
});
