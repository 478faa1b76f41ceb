// OpenAPI 3.1, from the same declarations that validate.
import { z } from "zod";
import { RATE_LIMITS } from "../domain/identity/rate-limits.ts";
import { PROXY_MOUNT } from "./app-proxy.ts";
import { METHODS, type AnySpec } from "./endpoint.ts";
import type { Auth } from "./guards.ts";
import type { RouteTable } from "./route-table.ts";

const SECURITY: Record<Auth, object[]> = {
  none: [],
  admin: [{ adminKey: [] }],
  platform: [{ platformKey: [] }],
  hmac: [{ storefrontSignature: [] }],
  visitor: [{ sessionToken: [] }, { sessionCookie: [] }, {}],
  session: [{ sessionToken: [] }, { sessionCookie: [] }],
  person: [{ sessionToken: [] }, { sessionCookie: [] }, { agentToken: [] }],
  person_or_admin: [
    { sessionToken: [] },
    { sessionCookie: [] },
    { agentToken: [] },
    { adminKey: [] },
  ],
  event_source: [
    { storefrontSignature: [] },
    { erpToken: [] },
    { backendSecret: [] },
    { adminKey: [] },
  ],
  backend: [{ backendSecret: [] }, { backendBearer: [] }],
  backend_key: [{ backendKey: [] }],
};

const SECURITY_SCHEMES = {
  erpToken: {
    type: "http",
    scheme: "bearer",
    description: "The tenant's erp_token, from source `erpsys`.",
  },
  backendSecret: {
    type: "apiKey",
    in: "header",
    name: "x-backend-webhook-secret",
    description: "WORKER_WEBHOOK_SECRET.",
  },
  backendBearer: { type: "http", scheme: "bearer", description: "WORKER_WEBHOOK_SECRET." },
  backendKey: { type: "http", scheme: "bearer", description: "BACKEND_API_KEY." },
  adminKey: {
    type: "http",
    scheme: "bearer",
    description: "The tenant's admin_key, ADMIN_KEY, or the app secret, tried in this order.",
  },
  platformKey: { type: "http", scheme: "bearer", description: "ADMIN_KEY." },
  sessionToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "The token of a signed-in person.",
  },
  agentToken: {
    type: "http",
    scheme: "bearer",
    description: "An access token that a shopper gave an agent at /oauth/authorize.",
  },
  sessionCookie: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-crm_session",
    description: "The same token. Changes need an allowed Origin and application/json.",
  },
  storefrontSignature: {
    type: "apiKey",
    in: "header",
    name: "X-Storefront-Hmac-SHA256",
    description:
      "Base64 HMAC-SHA256 of the raw body under the app secret. X-Shopify-Hmac-Sha256 is an alias.",
  },
};

const ERROR = {
  type: "object",
  required: ["error", "code", "message", "request_id"],
  properties: {
    error: { type: "string" },
    code: { type: "string" },
    message: { type: "string" },
    request_id: { type: "string", format: "uuid" },
    fields: { type: "object", additionalProperties: { type: "string" } },
  },
};

const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(schema, { io, unrepresentable: "any", target: "draft-2020-12" });

export function buildOpenApi(
  routes: RouteTable,
  options: { baseUrl: string; version: string },
): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, endpoint } of routes.all) {
    const item: Record<string, object> = {};
    for (const method of METHODS) {
      const spec = endpoint.specs[method];
      if (spec) item[method.toLowerCase()] = toOperation(spec, path);
    }
    paths[toTemplate(path)] = item;
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Customer identity, consent and sync",
      version: options.version,
      description: `Limits, times RATE_LIMIT_SCALE; beyond one 429 with Retry-After: ${describeLimits()}.`,
    },
    servers: [{ url: options.baseUrl }],
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Error: ERROR } },
  };
}

const toTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

const describeLimits = (): string =>
  Object.entries(RATE_LIMITS)
    .map(
      ([name, { max, windowSeconds }]) =>
        `${name.replaceAll("_", " ")} ${max} in ${windowSeconds} s`,
    )
    .join("; ");

function toOperation(spec: AnySpec, path: string): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const shop =
    spec.tenant === "none"
      ? []
      : [
          {
            name: "shop",
            in: "query",
            required: false,
            description: "The store's domain; X-Storefront-Shop-Domain may name it instead.",
            schema: { type: "string" },
          },
        ];
  const answers = Object.entries(spec.answers ?? { 200: "Done." }).map(([status, description]) => [
    status,
    {
      description,
      ...(spec.result &&
        Number(status) < 300 && {
          content: { "application/json": { schema: schemaOf(spec.result, "output") } },
        }),
    },
  ]);
  const accepted = spec.body ?? spec.accepts;
  return {
    summary: spec.summary,
    security: SECURITY[spec.auth],
    parameters: [...inPath, ...shop, ...queryParameters(spec.query)],
    ...(accepted && {
      requestBody: { content: { "application/json": { schema: schemaOf(accepted, "input") } } },
    }),
    // Below `/proxy`, where the storefront's app proxy comes: the parameters of its own that the route takes there.
    ...(spec.proxied && {
      "x-app-proxy": {
        path: PROXY_MOUNT + toTemplate(path),
        parameters: Object.keys(spec.proxied),
      },
    }),
    responses: {
      ...Object.fromEntries(answers),
      default: {
        description: "An error.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

function queryParameters(query: z.ZodType | undefined): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemaOf(query, "input") as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}
