// Builds the OpenAPI 3.1 document from the declarations that validate requests.
import { z } from "zod";
import { RATE_LIMITS } from "../domain/identity/rate-limits.ts";
import { PROXY_MOUNT } from "./auth/app-proxy.ts";
import { METHODS, type AnySpec } from "./endpoint.ts";
import { AUTH_SCHEMES, SECURITY_SCHEMES } from "./auth/schemes.ts";
import type { RouteTable } from "./route-table.ts";

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
