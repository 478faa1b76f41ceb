// What an A2A message may look like. The SDK reads parameters without checking their types: a wrong
// one would end as an internal error, or be taken for something else.
import { RequestMalformedError } from "@a2a-js/sdk/errors";
import { z } from "zod";
import { wrongParameter } from "./json-rpc.ts";

export const Envelope = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string(),
  params: z.looseObject({}).optional(),
});
export type Envelope = z.output<typeof Envelope>;

const Text = z.string().nullish();
const Texts = z.array(z.string()).nullish();
const Metadata = z.looseObject({}).nullish();

/** Of both versions: 0.3 names its kind and nests a file, 1.0 has one field per kind. */
const Part = z.looseObject({
  data: z.unknown().optional(),
  text: Text,
  raw: Text,
  url: Text,
  file: z.looseObject({ name: Text, mimeType: Text, bytes: Text, uri: Text }).nullish(),
  filename: Text,
  mediaType: Text,
  metadata: Metadata,
});

const Message = z.looseObject({
  messageId: z.string().max(255).nullish(),
  contextId: Text,
  taskId: Text,
  role: z.union([z.string(), z.number()]).nullish(),
  parts: z.array(Part).nullish(),
  metadata: Metadata,
  extensions: Texts,
  referenceTaskIds: Texts,
});

/** Of all methods: a task's id, a message, and what narrows a list. The SDK checks the rest. */
export const Params = z.looseObject({
  id: Text,
  message: Message.nullish(),
  metadata: Metadata,
  configuration: z
    .looseObject({
      acceptedOutputModes: Texts,
      historyLength: z.number().int().nullish(),
    })
    .nullish(),
  historyLength: z.number().int().nullish(),
  contextId: Text,
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
