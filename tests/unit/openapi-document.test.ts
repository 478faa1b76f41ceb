// What the OpenAPI document promises of every operation. That responses are as declared is checked
// where they arise, by tests/support/declared-responses.ts.
import { beforeAll, describe, expect, test } from "vitest";
import { findTool } from "../../app/domain/agents/tools/index.ts";
import { PLATFORM_FIELDS } from "../../app/domain/tenants/settings/platform-config.ts";
import { TENANT_FIELDS } from "../../app/domain/tenants/tenant-config.ts";
import { METHODS, type AnySpec } from "../../app/http/endpoint.ts";
import { exampleOf } from "../../app/http/openapi/examples.ts";
import { buildOpenApi } from "../../app/http/openapi/build-openapi.ts";
import { createJsonSchemas } from "../../app/http/openapi/json-schemas.ts";
import { answersOf, contentOf } from "../../app/http/openapi/response-content.ts";
import { loadRoutes, type RouteTable } from "../../app/http/route-table.ts";
import {
  COMPLIANCE_TOPICS,
  WEBHOOK_TOPICS,
} from "../../app/domain/tenants/storefront/webhook-topics.ts";

let table: RouteTable;
let operations: { name: string; spec: AnySpec }[];
beforeAll(async () => {
  table = await loadRoutes();
  operations = table.all.flatMap(({ path, endpoint: { specs } }) =>
    METHODS.flatMap((method) => {
      const spec = specs[method];
      return spec ? [{ name: `${method} ${path}`, spec }] : [];
    }),
  );
});

test("every operation declares the content of each success response that has a body", () => {
  const without = operations.flatMap(({ name, spec }) =>
    Object.keys(answersOf(spec))
      .map(Number)
      .filter((status) => status < 300 && status !== 204 && !contentOf(spec, status))
      .map((status) => `${name} ${status}`),
  );
  expect(without).toEqual([]);
});

test("only declared statuses have a result", () => {
  const superfluous = operations.flatMap(({ name, spec }) =>
    Array.from({ length: 400 }, (_, index) => 200 + index)
      .filter((status) => contentOf(spec, status) && !(status in answersOf(spec)))
      .filter((status) => status >= 300)
      .map((status) => `${name} ${status}`),
  );
  expect(superfluous).toEqual([]);
});

describe("an example", () => {
  const { convert, components } = createJsonSchemas();

  test("is a request that its operation accepts", () => {
    for (const { name, spec } of operations)
      for (const schema of [spec.body, spec.accepts, spec.form]) {
        if (!schema) continue;
        const example = exampleOf(convert(schema), components);
        expect([name, example, schema.safeParse(example).error?.issues]).toEqual([
          name,
          example,
          undefined,
        ]);
      }
  });

  test("of settings has fields that exist, and one of an agent's call has arguments that the tool takes", () => {
    const { paths } = buildOpenApi(table, { baseUrl: "https://x.example", version: "1" }) as any;
    const sent = (path: string) => paths[path].post.requestBody.content["application/json"].example;
    const shown = (path: string) =>
      paths[path].get.responses[200].content["application/json"].example.config;
    for (const [path, fields] of [
      ["/config", TENANT_FIELDS],
      ["/platform/config", PLATFORM_FIELDS],
    ] as const)
      for (const example of [sent(path), shown(path)])
        expect(Object.keys(fields)).toEqual(expect.arrayContaining(Object.keys(example)));
    const { name, arguments: args } = sent("/mcp").params;
    expect(findTool(name)?.input.safeParse(args).error?.issues).toBeUndefined();
  });

  test("is a response as its operation gives it", () => {
    for (const { name, spec } of operations)
      for (const status of Object.keys(answersOf(spec)))
        for (const { schema } of contentOf(spec, Number(status)) ?? []) {
          if (!schema) continue;
          const example = exampleOf(convert(schema), components);
          expect([name, schema.safeParse(example).error?.issues]).toEqual([name, undefined]);
        }
  });
});

test("the webhooks are all topics that the storefront sends, and what stores' systems are sent", () => {
  const { webhooks } = buildOpenApi(table, { baseUrl: "https://x.example", version: "1" }) as {
    webhooks: object;
  };
  expect(Object.keys(webhooks)).toEqual([
    ...[...WEBHOOK_TOPICS, ...COMPLIANCE_TOPICS].map(({ name }) => name),
    "backend.event",
    "erp_generic.document",
    "retail_analytics_b.record",
  ]);
});

// JSON Schema recommends few constructs (core 6.4): Python's validators refuse a schema with \\p{L}.
test("every pattern is a regular expression in other languages too", () => {
  const document = JSON.stringify(
    buildOpenApi(table, { baseUrl: "https://x.example", version: "1" }),
  );
  const patterns = [...document.matchAll(/"pattern":"(.*?)(?<!\\)"/g)].map(
    ([, pattern]) => pattern,
  );
  expect(patterns.length).toBeGreaterThan(20);
  expect(patterns.filter((pattern) => /\\p\{|\(\?[=!<]/i.test(pattern ?? ""))).toEqual([]);
});
