// The traces that a collector receives over OTLP, from the real SDK.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTracing, type Tracing } from "../../app/runtime/telemetry/tracing.ts";
import { CUSTOMER_2024_10 } from "../support/storefront/payloads.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
};
type Export = {
  resourceSpans: {
    resource: { attributes: Span["attributes"] };
    scopeSpans: { spans: Span[] }[];
  }[];
};

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const received: Export[] = [];
const collector = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    received.push(JSON.parse(Buffer.concat(chunks).toString()) as Export);
    response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  });
});
let service: Service;
let tracing: Tracing | null;

beforeAll(async () => {
  await new Promise<void>((ready) => collector.listen(0, "127.0.0.1", ready));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "http/json";
  tracing = await startTracing({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_SERVICE_NAME: "store-sync",
  });
  service = await startService({ background: true });
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await service?.stop();
  collector.close();
});

it("without an address nothing is collected", async () => {
  expect(
    await startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: undefined, OTEL_SERVICE_NAME: "x" }),
  ).toBeNull();
});

it("a webhook, its work, its deliveries and their calls are one trace, which continues the caller's and names nobody", async () => {
  const answer = await service.webhook("customer-update", CUSTOMER_2024_10, {
    headers: { traceparent: `00-${TRACE}-${CALLER}-01` },
  });
  expect(answer.status).toBe(200);
  // Longer than the standard allows: the request is answered, in a trace of its own.
  await service.call("GET", "/health", { headers: { traceparent: `00-${TRACE}-${CALLER}-01-x` } });
  await eventually("three deliveries", async () => {
    const { json } = await service.call("GET", `/admin/events/log?shop=${SHOP}`);
    return json.entries.length === 3;
  });
  await tracing?.stop();

  const exported = received.flatMap(({ resourceSpans }) => resourceSpans);
  expect(
    exported.every(({ resource }) =>
      resource.attributes.some(
        ({ key, value }) => key === "service.name" && value.stringValue === "store-sync",
      ),
    ),
  ).toBe(true);
  const all = exported.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  const spans = all.filter(({ traceId }) => traceId === TRACE);
  const parentOf = ({ parentSpanId }: Span) =>
    parentSpanId === CALLER ? "caller" : spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  expect(spans.map((span) => `${parentOf(span)} > ${span.name}`).toSorted()).toEqual([
    "POST /webhooks/:topic > webhook customers/update",
    "caller > POST /webhooks/:topic",
    "deliver cms > POST cms",
    "deliver profile_platform > POST profile_platform",
    "deliver web_analytics > POST web_analytics",
    "webhook customers/update > deliver cms",
    "webhook customers/update > deliver profile_platform",
    "webhook customers/update > deliver web_analytics",
  ]);
  expect(all.some(({ name, traceId }) => name === "GET /health" && traceId !== TRACE)).toBe(true);
  expect(JSON.stringify(all)).not.toMatch(/bob|biller|Bearer/i);

  const [hit] = service.sandbox.requests("profilePlatform");
  const [, traceId, spanId] = String(hit?.headers.traceparent).split("-");
  expect([traceId, spans.find((span) => span.spanId === spanId)?.name]).toEqual([
    TRACE,
    "POST profile_platform",
  ]);
});
