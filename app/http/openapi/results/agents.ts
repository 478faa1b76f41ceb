// Documents and answers of the agents' protocols. Their specifications define further members.
import { z } from "zod";
import { NextCursor, Timestamp } from "./outcome.ts";

export const AgentCard = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.literal("1.0"),
    provider: z.object({ organization: z.string(), url: z.string() }),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(
      z.looseObject({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        tags: z.array(z.string()),
      }),
    ),
    capabilities: z.looseObject({
      streaming: z.literal(false),
      pushNotifications: z.literal(false),
    }),
    protocol_version: z.string().optional(),
    authentication: z.object({ schemes: z.array(z.string()), credentials: z.string() }).optional(),
  })
  .meta({ id: "AgentCard", description: "An agent card of A2A 1.0 or 0.3." });

export const ServerMetadata = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    registration_endpoint: z.string(),
    revocation_endpoint: z.string(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.boolean(),
    client_id_metadata_document_supported: z.boolean(),
    ui_locales_supported: z.array(z.string()),
    op_policy_uri: z.string().optional(),
    op_tos_uri: z.string().optional(),
  })
  .meta({ id: "AuthorizationServerMetadata", description: "RFC 8414." });

export const ResourceMetadata = z
  .object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
    resource_policy_uri: z.string().optional(),
    resource_tos_uri: z.string().optional(),
  })
  .meta({ id: "ProtectedResourceMetadata", description: "RFC 9728." });

const PublicKeys = z.array(z.looseObject({ kty: z.string(), kid: z.string() }));

export const UcpProfile = z
  .object({
    name: z.string(),
    shop: z.string(),
    a2a_agent_access: z.literal(true).optional(),
    agent_payments: z.literal(true).optional(),
    endpoints: z.record(z.string(), z.string()),
    ucp: z.looseObject({
      version: z.string(),
      status: z.string(),
      supported_versions: z.record(z.string(), z.string()).optional(),
      services: z.record(z.string(), z.array(z.looseObject({}))),
      capabilities: z.record(z.string(), z.array(z.looseObject({}))),
    }),
    keys: PublicKeys.optional(),
    signing_keys: PublicKeys.optional(),
  })
  .meta({ id: "UcpProfile", description: "The store's capabilities: a UCP business profile." });

export const RpcResponse = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number(), z.null()]),
    result: z.looseObject({}).optional(),
    error: z
      .object({ code: z.int(), message: z.string(), data: z.unknown().optional() })
      .optional(),
  })
  .meta({
    id: "JsonRpcResponse",
    examples: [
      {
        jsonrpc: "2.0",
        id: 1,
        result: { content: [{ type: "text", text: "2 products" }] },
      },
    ],
  });

export const AgentClient = z
  .object({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal("none"),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
  })
  .meta({ id: "AgentClient" });

export const AccessToken = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.int(),
    refresh_token: z.string(),
    scope: z.string(),
  })
  .meta({ id: "AccessToken" });

/** What an agent did with the person's data; listed only when the caller asks for it. */
const AgentAction = z.object({ what: z.string(), changed: z.boolean(), at: Timestamp });

export const LinkedAgents = z.object({
  grants: z.array(
    z.object({
      id: z.string(),
      client_id: z.string(),
      client_name: z.string(),
      host: z.string().nullable(),
      scopes: z.array(z.string()),
      created_at: Timestamp,
      last_used_at: Timestamp.nullable(),
      actions: z.array(AgentAction).optional(),
    }),
  ),
  next_cursor: NextCursor,
});

/** Equal calls of a minute, or of an hour for unknown callers, are one. */
const AgentCall = z.object({
  id: z.int(),
  at: Timestamp,
  client_id: z.string().nullable(),
  agent: z.string().nullable(),
  operation: z.string(),
  kind: z.string().nullable(),
  outcome: z.enum(["done", "refused", "failed"]),
  code: z.string().nullable(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  mandate_id: z.string().nullable(),
  calls: z.int(),
});

export const OwnAgentActivity = z.object({
  activity: z.array(AgentCall),
  next_cursor: NextCursor,
});

export const AgentActivity = z.object({
  activity: z.array(AgentCall.extend({ customer_id: z.int().nullable() })),
  next_cursor: NextCursor,
});
