// What an A2A message may look like. The SDK reads parameters without checking their types or sizes: a
// wrong one would end as an internal error, or be taken for something else, or keep the process busy.
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { wrongParameter } from "./json-rpc.ts";
import { hasFewValues } from "./message-size.ts";

export const Envelope = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
export type Envelope = z.output<typeof Envelope>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const toCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

function withCamelCase(value: unknown): unknown {
  if (!isObject(value)) return value;
  const named = Object.entries(value).map(([name, inner]) => [toCamelCase(name), inner] as const);
  // Of two spellings that are both present the SDK reads the camel-case one.
  return { ...Object.fromEntries(named), ...value };
}

/**
 * The message with one name for each field of A2A: its JSON also allows `task_id` for `taskId`, and the SDK reads
 * both. What is checked here must be what it reads.
 */
export function normalise(message: Envelope): Envelope {
  // The SDK refuses a message without parameters, which JSON-RPC allows.
  const params = withCamelCase(message.params ?? {}) as NonNullable<Envelope["params"]>;
  return {
    ...message,
    params: {
      ...params,
      ...(params.message !== undefined && { message: withCamelCase(params.message) }),
      ...(params.configuration !== undefined && {
        configuration: withCamelCase(params.configuration),
      }),
    },
  };
}

const MAX_PARTS = 50;
const MAX_NAMES = 100;
const MAX_DEPTH = 32;

/** Counted before its items are read: half a million wrong ones would make as many findings. */
const listOf = <Item extends z.ZodType>(item: Item, max: number) =>
  z
    .custom<unknown[]>((value) => Array.isArray(value) && value.length <= max)
    .pipe(z.array(item))
    .nullish();

const isDeeperThan = (max: number, value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  (max === 0 || Object.values(value).some((inner) => isDeeperThan(max - 1, inner)));
const isSmall = (value: unknown): boolean => !isDeeperThan(MAX_DEPTH, value) && hasFewValues(value);
const Data = z.unknown().refine(isSmall);

const Text = z.string().nullish();
const Name = z.string().max(255).nullish();
const Names = listOf(z.string().max(255), MAX_NAMES);
const Metadata = z.looseObject({}).refine(isSmall).nullish();

/** A part of either version: 0.3 names its kind and nests a file, 1.0 has one field per kind. */
const Part = z.looseObject({
  data: Data.optional(),
  text: Text,
  raw: Text,
  url: Text,
  file: z.looseObject({ name: Text, mimeType: Text, bytes: Text, uri: Text }).nullish(),
  filename: Text,
  mediaType: Text,
  metadata: Metadata,
});

const Message = z.looseObject({
  messageId: Name,
  contextId: Name,
  taskId: Name,
  role: z.union([z.string(), z.number()]).nullish(),
  parts: listOf(Part, MAX_PARTS),
  metadata: Metadata,
  extensions: Names,
  referenceTaskIds: Names,
});

/** The parameters of all methods: a task's id, a message, and what narrows a list. The SDK checks the rest. */
export const Params = z.looseObject({
  id: Name,
  message: Message.nullish(),
  metadata: Metadata,
  configuration: z
    .looseObject({
      acceptedOutputModes: Names,
      historyLength: z.number().int().nullish(),
    })
    .nullish(),
  historyLength: z.number().int().nullish(),
  contextId: Name,
  includeArtifacts: z.boolean().nullish(),
});

const PushParams = z.looseObject({
  taskId: z.string(),
  pushNotificationConfig: z.looseObject({ url: z.string() }),
});
const SET_PUSH = "tasks/pushNotificationConfig/set";

/**
 * Throws for parameters of a wrong type. A message has a role and at least one part (A2A "Message").
 * @throws RequestMalformedError that names the first wrong parameter
 */
export function requireValidParams({ method, params }: Envelope): void {
  const { data, error } = Params.safeParse(params ?? {});
  const fault = error ?? (method === SET_PUSH ? PushParams.safeParse(params).error : undefined);
  if (fault) throw new RequestMalformedError(wrongParameter(fault));
  const message = data?.message;
  if (message && !message.role) throw new RequestMalformedError("message.role is required.");
  if (message?.parts?.length === 0)
    throw new RequestMalformedError("message.parts must hold at least one part.");
}
