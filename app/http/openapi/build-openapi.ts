// Builds the OpenAPI 3.1 document from the declarations that validate requests.
import type { z } from "zod";
import { RATE_LIMITS } from "../../domain/identity/rate-limits.ts";
import { API_TAGS, tagOf } from "./api-tags.ts";
import { PROXY_MOUNT } from "../auth/app-proxy.ts";
import { METHODS, type AnySpec } from "../endpoint.ts";
import type { Method } from "../route-traits.ts";
import { AUTH_SCHEMES, SECURITY_SCHEMES } from "../auth/schemes.ts";
import type { RouteTable } from "../route-table.ts";
import { exampleOf } from "./examples.ts";
import { createJsonSchemas, type JsonSchema, type JsonSchemas } from "./json-schemas.ts";
import { answersOf, contentOf } from "./response-content.ts";
import { describeWebhooks } from "./webhooks.ts";

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

export function buildOpenApi(
  routes: RouteTable,
  options: { baseUrl: string; version: string },
): object {
  const schemas = createJsonSchemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, endpoint } of routes.all) {
    const item: Record<string, object> = {};
    for (const method of METHODS) {
      const spec = endpoint.specs[method];
      if (spec) item[method.toLowerCase()] = toOperation(schemas, spec, method, path);
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
    tags: API_TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    webhooks: describeWebhooks((schema) => jsonContent(schemas, schema)),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: ERROR, ...schemas.components },
      responses: { Error: { description: "An error.", content: ERROR_CONTENT } },
    },
  };
}

const ERROR_CONTENT = {
  "application/json": { schema: { $ref: "#/components/schemas/Error" } },
};

/**
 * `GET /auth/me` is `getAuthMe`, `GET /commerce/orders/:id` is `getCommerceOrdersById`: a client's
 * method keeps its name as long as the path does.
 */
function toOperationId(method: Method, path: string): string {
  const words = path
    .split("/")
    .filter(Boolean)
    .map((segment) => (segment.startsWith(":") ? `by-${segment.slice(1)}` : segment))
    .flatMap((segment) => segment.split(/[^A-Za-z0-9]+/))
    .filter(Boolean)
    .map((word) => word[0]?.toUpperCase() + word.slice(1));
  return method.toLowerCase() + words.join("");
}

const toTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}");

const describeLimits = (): string =>
  Object.entries(RATE_LIMITS)
    .map(
      ([name, { max, windowSeconds }]) =>
        `${name.replaceAll("_", " ")} ${max} in ${windowSeconds} s`,
    )
    .join("; ");

/** The statuses of errors that follow from the declaration. */
function declaredErrors(spec: AnySpec, inPath: readonly object[]): Record<string, string> {
  const isAuthenticated = spec.auth !== "none" && spec.auth !== "visitor";
  const hasTenant = spec.tenant !== "none";
  const hasBody = spec.body !== undefined || spec.accepts !== undefined;
  return {
    ...((hasBody || spec.query || hasTenant) && { 400: "The request is malformed." }),
    ...(isAuthenticated && { 401: "The authentication is missing or invalid." }),
    ...((spec.tenant === "registered" || inPath.length > 0) && { 404: "Not found." }),
    ...(hasBody && {
      413: "The body is too large.",
      415: "The body is not JSON.",
    }),
    ...(spec.rateLimit && { 429: "Too many requests; see Retry-After." }),
  };
}

const SHOP_PARAMETER = {
  name: "shop",
  in: "query",
  required: false,
  description: "The store's domain; X-Storefront-Shop-Domain may name it instead.",
  schema: { type: "string" },
};

/** The declared responses by their status, without the errors. */
function toResponses(schemas: JsonSchemas, spec: AnySpec): object {
  const responses = Object.entries(answersOf(spec)).map(([status, description]) => {
    const content = contentOf(spec, Number(status))?.map(({ mediaType, schema }) => [
      mediaType,
      schema ? jsonContent(schemas, schema) : { schema: { type: "string" } },
    ]);
    return [
      status,
      { description, ...(content?.length && { content: Object.fromEntries(content) }) },
    ];
  });
  return Object.fromEntries(responses);
}

function toOperation(schemas: JsonSchemas, spec: AnySpec, method: Method, path: string): object {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const shop = spec.tenant === "none" ? [] : [SHOP_PARAMETER];
  const accepted = spec.body ?? spec.accepts;
  const form = spec.handleForm && (spec.form ?? spec.body);
  const errors = Object.entries(declaredErrors(spec, inPath)).map(([status, description]) => [
    status,
    { description, content: ERROR_CONTENT },
  ]);
  return {
    operationId: toOperationId(method, path),
    tags: [tagOf(path)],
    summary: spec.summary,
    security: AUTH_SCHEMES[spec.auth].openapi,
    parameters: [...inPath, ...shop, ...queryParameters(schemas, spec.query)],
    ...((accepted || form) && {
      requestBody: {
        content: {
          ...(accepted && { "application/json": jsonContent(schemas, accepted) }),
          ...(form && { "application/x-www-form-urlencoded": jsonContent(schemas, form) }),
        },
      },
    }),
    // Below `/proxy`, for the storefront's app proxy: the route's own parameters there.
    ...(spec.proxied && {
      "x-app-proxy": {
        path: PROXY_MOUNT + toTemplate(path),
        parameters: Object.keys(spec.proxied),
      },
    }),
    responses: {
      ...Object.fromEntries(errors),
      ...toResponses(schemas, spec),
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function jsonContent(schemas: JsonSchemas, declared: z.ZodType): object {
  const schema = schemas.convert(declared);
  return { schema, example: exampleOf(schema, schemas.components) };
}

function queryParameters(schemas: JsonSchemas, query: z.ZodType | undefined): object[] {
  if (!query) return [];
  const { properties = {}, required = [] } = schemas.convert(query) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
}
