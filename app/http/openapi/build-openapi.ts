// Builds the OpenAPI 3.1 document from the declarations that validate requests.
import { z } from "zod";
import { RATE_LIMITS } from "../../domain/identity/rate-limits.ts";
import { API_TAGS, tagOf } from "./api-tags.ts";
import { PROXY_MOUNT } from "../auth/app-proxy.ts";
import { METHODS, type AnySpec } from "../endpoint.ts";
import type { Method } from "../route-traits.ts";
import { AUTH_SCHEMES, SECURITY_SCHEMES } from "../auth/schemes.ts";
import type { RouteTable } from "../route-table.ts";

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
      if (spec) item[method.toLowerCase()] = toOperation(spec, method, path);
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
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: { Error: ERROR },
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

function toOperation(spec: AnySpec, method: Method, path: string): object {
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
  const errors = Object.entries(declaredErrors(spec, inPath)).map(([status, description]) => [
    status,
    { description, content: ERROR_CONTENT },
  ]);
  return {
    operationId: toOperationId(method, path),
    tags: [tagOf(path)],
    summary: spec.summary,
    security: AUTH_SCHEMES[spec.auth].openapi,
    parameters: [...inPath, ...shop, ...queryParameters(spec.query)],
    ...(accepted && {
      requestBody: { content: { "application/json": { schema: schemaOf(accepted, "input") } } },
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
      ...Object.fromEntries(answers),
      default: { $ref: "#/components/responses/Error" },
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
