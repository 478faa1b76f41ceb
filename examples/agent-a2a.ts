// An agent over A2A, with the official SDK: it reads the agent card, and sends messages whose data part
// names a tool or a skill.
import { Role, type Message, type Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { getAgentToken } from "./client/agent-access.ts";
import { SERVICE_URL, SHOP } from "./client/client.ts";

/** A client whose every request carries the shopper's token. */
function connectTo(token: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: {
        ...(init?.headers as Record<string, string>),
        Authorization: `Bearer ${token}`,
      },
    });
  const factory = new ClientFactory({
    ...ClientFactoryOptions.default,
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
  });
  return factory.createFromUrl(SERVICE_URL, `/.well-known/agent-card.json?shop=${SHOP}`);
}

const toMessage = (value: object): Message => ({
  messageId: crypto.randomUUID(),
  contextId: "",
  taskId: "",
  role: Role.ROLE_USER,
  parts: [
    {
      content: { $case: "data", value },
      metadata: undefined,
      filename: "",
      mediaType: "application/json",
    },
  ],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const agent = await connectTo(await getAgentToken("A2A example", "identity:read"));

/** A task ends before it is answered, so that its artifact is there. */
async function ask(request: object): Promise<unknown> {
  const task = (await agent.sendMessage({
    tenant: "",
    message: toMessage(request),
    configuration: undefined,
    metadata: undefined,
  })) as Task;
  return task.artifacts[0]?.parts[0]?.content?.value;
}

console.log("Who:", JSON.stringify(await ask({ tool: "get_identity" })).slice(0, 200));
console.log("May:", JSON.stringify(await ask({ skill: "consent-management" })).slice(0, 200));
