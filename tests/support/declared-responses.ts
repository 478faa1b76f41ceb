// Checks every response of a test's service against what its route declares with `answers` and
// `result`, so that a schema of the OpenAPI document that does not hold fails the test that saw it.
// Production runs without it.
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { ApiRequest } from "../../app/http/api-request.ts";
import type { ApiResponse } from "../../app/http/api-response.ts";
import type { AnySpec, Endpoint } from "../../app/http/endpoint.ts";
import { answersOf, contentOf } from "../../app/http/openapi/response-content.ts";
import type { RouteTable } from "../../app/http/route-table.ts";

/** Not a record of zod, which leaves a field `__proto__` out. */
const ErrorFields = z.custom<Record<string, string>>(
  (fields) =>
    typeof fields === "object" &&
    fields !== null &&
    Object.values(fields).every((reason) => typeof reason === "string"),
);
const ErrorBody = z.looseObject({
  error: z.string(),
  code: z.string(),
  message: z.string(),
  request_id: z.string(),
  fields: ErrorFields.optional(),
});

export type CheckedRoutes = {
  routes: RouteTable;
  /** One line per kind of response that is not as declared. */
  violations: Set<string>;
};

export function checkResponses(table: RouteTable): CheckedRoutes {
  const violations = new Set<string>();
  return {
    violations,
    routes: {
      all: table.all,
      match(path) {
        const found = table.match(path);
        if (!found) return null;
        const { specs } = found.endpoint as Endpoint;
        return {
          ...found,
          endpoint: {
            async respond(ctx, request, params) {
              const reply = await found.endpoint.respond(ctx, request, params);
              const problem = findProblem(specs, request, reply);
              if (problem)
                violations.add(`${request.method} ${found.path}: ${reply.status} ${problem}`);
              return reply;
            },
          },
        };
      },
    },
  };
}

function findProblem(
  specs: Endpoint["specs"],
  request: ApiRequest,
  { status, headers, body }: ApiResponse,
): string | null {
  const spec = specs[(request.method === "HEAD" ? "GET" : request.method) as "GET"];
  if (!spec || request.method === "OPTIONS") return null;
  const mediaType = String(headers["Content-Type"] ?? "").split(";", 1)[0] as string;
  const declared = contentOf(spec, status);
  if (declared === undefined && status >= 400)
    return findErrorProblem(spec, mediaType, String(body ?? ""));
  if (!(status in answersOf(spec))) return "is not among the answers";
  if (!spec.isCacheable && /\bpublic\b/.test(String(headers["Cache-Control"] ?? "")))
    return "may be kept for everybody without isCacheable";
  if (body === undefined || body.length === 0)
    return declared?.length ? "has no body, against the declaration" : null;
  if (declared === undefined) return "has a body without a declaration";
  const content = declared.find((one) => one.mediaType === mediaType);
  if (!content) return `has an undeclared body of ${mediaType}`;
  return content.schema ? findMismatch(content.schema, String(body)) : null;
}

/** Errors in the shapes of other specifications, and error pages for forms, have their own tests. */
function findErrorProblem(spec: AnySpec, mediaType: string, body: string): string | null {
  if (spec.errorBody || spec.handleForm || body === "") return null;
  if (spec.isPage && mediaType === "text/html") return null;
  return mediaType === "application/json"
    ? findMismatch(ErrorBody, body)
    : `is an error of ${mediaType}`;
}

function findMismatch(schema: z.ZodType, body: string): string | null {
  const value: unknown = JSON.parse(body);
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    return parsed.error.issues
      .map(({ path, message }) => `${path.map(String).join(".")} ${message}`)
      .join("; ");
  // A schema drops the members that it does not know.
  return isDeepStrictEqual(parsed.data, value)
    ? null
    : `has undeclared members: ${undeclared(value, parsed.data).join(", ")}`;
}

function undeclared(value: unknown, known: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path ? `${path}.${name}` : name;
    const counterpart = (known ?? {}) as Record<string, unknown>;
    return name in counterpart ? undeclared(inner, counterpart[name], at) : [at];
  });
}
