/**
 * The sandbox profile platform: Adobe Experience Platform streaming ingestion (XDM with
 * identityMap), one inlet per path.
 */
import { randomUUID } from "node:crypto";
import { fieldsOf, json, textOf } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type ProfileMessage = {
  at: string;
  inletId: string;
  header: unknown;
  xdmMeta: unknown;
  entity: Record<string, unknown>;
};
export type ProfileDeletion = { at: string; path: string; body: unknown };
export type ProfileState = {
  messages: ProfileMessage[];
  /** "namespace:id" -> the merged entity */
  profiles: Record<string, Record<string, unknown>>;
  deletions: ProfileDeletion[];
};

type Identity = { id?: unknown; primary?: unknown; authenticatedState?: unknown };

const MAX_KEPT_MESSAGES = 2000;
const SHA256_HEX = /^[0-9a-f]{64}$/;
const EMAIL_LIKE = /[^\s@"'<>]@[^\s@"'<>]+\.[a-z]{2,}/i;
const AUTHENTICATED_STATES = ["ambiguous", "authenticated", "loggedOut"];

export function createProfilePlatform(state: ProfileState, saving: Saving) {
  const keep = (inletId: string, message: Record<string, unknown>): void => {
    const { xdmMeta, xdmEntity } = fieldsOf(message["body"]);
    const entity = fieldsOf(xdmEntity);
    state.messages.push({
      at: new Date().toISOString(),
      inletId,
      header: message["header"],
      xdmMeta,
      entity,
    });
    if (state.messages.length > MAX_KEPT_MESSAGES)
      state.messages.splice(0, state.messages.length - MAX_KEPT_MESSAGES);
    for (const [namespace, identities] of Object.entries(fieldsOf(entity["identityMap"]))) {
      for (const { id } of identities as Identity[])
        state.profiles[`${namespace}:${String(id)}`] = {
          ...state.profiles[`${namespace}:${String(id)}`],
          ...entity,
        };
    }
  };

  return {
    handle(call: Call): ApiResponse {
      const inletId = call.path.split("/").filter(Boolean).at(-1) ?? "";
      if (call.method === "DELETE") {
        state.deletions.push({ at: new Date().toISOString(), path: call.path, body: call.body });
        saving.soon();
        return json(202, { jobId: randomUUID(), status: "NEW" });
      }
      if (call.method !== "POST") return problem(405, "Method not allowed");
      const { messages } = fieldsOf(call.body);
      const isBatch = messages !== undefined;
      const batch = isBatch
        ? Array.isArray(messages)
          ? messages.map(fieldsOf)
          : []
        : [fieldsOf(call.body)];
      if (batch.length === 0) return problem(400, "The batch holds no messages");
      const refused = batch.map(findProblem).find((found) => found !== null);
      if (refused) return problem(400, refused);
      for (const message of batch) keep(inletId, message);
      saving.soon();
      const receivedTimeMs = Date.now();
      if (!isBatch) return json(200, { inletId, xactionId: randomUUID(), receivedTimeMs });
      return json(200, {
        inletId,
        batchId: randomUUID(),
        xactionId: randomUUID(),
        receivedTimeMs,
        responses: batch.map(() => ({ xactionId: randomUUID() })),
      });
    },
    messages: (): ProfileMessage[] => [...state.messages],
    /** The key is "namespace:id". */
    profile: (identity: string): Record<string, unknown> | undefined => state.profiles[identity],
    profiles: (): Record<string, Record<string, unknown>> => ({ ...state.profiles }),
    deletions: (): ProfileDeletion[] => [...state.deletions],
  };
}

function findProblem(message: Record<string, unknown>): string | null {
  const header = fieldsOf(message["header"]);
  const entity = fieldsOf(message["body"])["xdmEntity"];
  if (typeof fieldsOf(header["schemaRef"])["id"] !== "string")
    return "header.schemaRef.id is required";
  if (typeof entity !== "object" || entity === null) return "body.xdmEntity is required";
  const identityMap = Object.entries(fieldsOf(fieldsOf(entity)["identityMap"]));
  if (identityMap.length === 0) return "body.xdmEntity.identityMap is required";
  for (const [namespace, identities] of identityMap) {
    if (!Array.isArray(identities) || identities.length === 0)
      return `identityMap.${namespace} must be a list of identities`;
    for (const identity of identities.map(fieldsOf) as Identity[]) {
      if (typeof identity.id !== "string" || identity.id === "")
        return `identityMap.${namespace}: id must be text`;
      if (identity.primary !== undefined && typeof identity.primary !== "boolean")
        return `identityMap.${namespace}: primary must be a boolean`;
      if (
        identity.authenticatedState !== undefined &&
        !AUTHENTICATED_STATES.includes(textOf(identity.authenticatedState))
      ) {
        return `identityMap.${namespace}: authenticatedState must be one of ${AUTHENTICATED_STATES.join(", ")}`;
      }
      if (/^email/i.test(namespace) && !SHA256_HEX.test(identity.id))
        return `identityMap.${namespace}: id must be a SHA-256 in lowercase hex`;
    }
  }
  const primaries = identityMap
    .flatMap(([, identities]) => identities as Identity[])
    .filter(({ primary }) => primary === true);
  if (primaries.length > 1) return "identityMap has more than one primary identity";
  return EMAIL_LIKE.test(JSON.stringify(entity)) ? "The entity holds a raw email address" : null;
}

function problem(status: number, detail: string): ApiResponse {
  return json(status, {
    type: `https://ns.adobe.com/aep/errors/DCVS-1104-${status}`,
    title: "Invalid request",
    status,
    detail,
  });
}
