// The part of an A2A task that is stored: all of it but the buyer, the addresses, and long messages and answers. A
// checkout's address is in the storefront's cart and nowhere else (docs/decisions/020-checkout.md).
import { DeliveryAddress, DestinationId } from "../commerce/checkout/checkout-input.ts";

const PERSONAL = new Set([
  "buyer",
  "signals",
  "payment",
  "address",
  ...Object.keys(DeliveryAddress.shape),
]);

/** Like a checkout, a task keeps a name of an address only if it cannot be one itself. */
const toName = (id: unknown): string | undefined => DestinationId.safeParse(id).data;

function toDestination(given: unknown): object {
  const { id, type } = (given ?? {}) as { id?: unknown; type?: unknown };
  return { id: toName(id), ...(type === "shipping_address" && { type }) };
}

/** By the name of the field, wherever it stands: a message may have any shape. */
function keptField(name: string, value: unknown): unknown {
  if (PERSONAL.has(name)) return undefined;
  if (name === "selected_destination_id") return toName(value);
  if (name === "destinations") return Array.isArray(value) ? value.map(toDestination) : undefined;
  return value;
}

/** A task takes any number of messages, and every later one reads them all. */
const MAX_MESSAGES = 10;
const MAX_MESSAGE_CHARS = 4_096;
/** A short message may ask for the whole catalog, and anybody may send one. */
const MAX_ARTIFACT_CHARS = 16_384;

type Message = Record<"messageId" | "contextId" | "taskId" | "role", unknown>;
type Artifact = Record<"artifactId" | "name", unknown>;

const isLonger = (value: object, maxChars: number): boolean =>
  JSON.stringify(value).length > maxChars;

function keptMessage(message: Message): object {
  if (!isLonger(message, MAX_MESSAGE_CHARS)) return message;
  const { messageId, contextId, taskId, role } = message;
  const parts = [{ text: "This message was too long to be kept." }];
  return { messageId, contextId, taskId, role, parts };
}

function keptArtifact(artifact: Artifact): object {
  if (!isLonger(artifact, MAX_ARTIFACT_CHARS)) return artifact;
  const { artifactId, name } = artifact;
  return { artifactId, name, parts: [{ text: "This answer was too long to be kept. Ask again." }] };
}

/** `task`: A2A's own JSON. */
export function toKeptTask(task: unknown): unknown {
  const kept = JSON.parse(JSON.stringify(task, keptField)) as {
    history?: Message[];
    artifacts?: Artifact[];
  };
  const history = kept.history?.slice(-MAX_MESSAGES).map(keptMessage);
  const artifacts = kept.artifacts?.map(keptArtifact);
  return { ...kept, ...(history && { history }), ...(artifacts && { artifacts }) };
}
