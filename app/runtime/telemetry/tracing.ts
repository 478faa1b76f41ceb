// Traces by OpenTelemetry: a request, the work that it leaves to the background, the delivery and the call to the
// outside system are one trace, also across processes. Exported only where OTEL_EXPORTER_OTLP_ENDPOINT is set; without
// it the SDK is not loaded and these functions do nothing. Spans contain ids and kinds, nothing personal.
import {
  context,
  propagation,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type SpanKind,
} from "@opentelemetry/api";

export { SpanKind } from "@opentelemetry/api";
export type { Span } from "@opentelemetry/api";

const NAME = "customer-identity-service";
const HEADER = "traceparent";
/** W3C Trace Context, version 00: what is longer or different starts a trace of its own. */
const TRACE_PARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

let isOn = false;

export type Tracing = {
  /** Exports what is left. */
  stop(): Promise<void>;
};

/** The SDK reads its other OTEL_* variables itself. Null where no endpoint is set. */
export async function startTracing(config: {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_SERVICE_NAME: string;
}): Promise<Tracing | null> {
  if (!config.OTEL_EXPORTER_OTLP_ENDPOINT) return null;
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const sdk = new NodeSDK({
    serviceName: config.OTEL_SERVICE_NAME,
    // Prometheus reads /metrics, and the log goes to standard output.
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  });
  sdk.start();
  isOn = true;
  return {
    async stop() {
      isOn = false;
      await sdk.shutdown();
    },
  };
}

type SpanOptions = {
  kind: SpanKind;
  /** The parent of the span; the default is the span around it. */
  parent?: string | null | undefined;
  attributes?: Attributes;
};

/** Runs the work in a span, which records its error. */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<T>,
): Promise<T> {
  if (!isOn) return work(null);
  const { kind, parent, attributes = {} } = options;
  const span = trace
    .getTracer(NAME)
    .startSpan(name, { kind, attributes }, parent === undefined ? undefined : continued(parent));
  return context.with(trace.setSpan(context.active(), span), async () => {
    try {
      return await work(span);
    } catch (error) {
      // The message may repeat what a person sent.
      span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error).name });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** The parent's context; without a valid parent a new trace begins. */
function continued(parent: string | null): Context {
  const root = trace.deleteSpan(context.active());
  return parent !== null && TRACE_PARENT.test(parent)
    ? propagation.extract(root, { [HEADER]: parent })
    : root;
}

/** To be stored beside work that another process may do. */
export const activeTraceParent = (): string | null =>
  isOn ? (traceHeaders()[HEADER] ?? null) : null;

/** The trace headers of a request to an outside system. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isOn) propagation.inject(context.active(), headers);
  return headers;
}
