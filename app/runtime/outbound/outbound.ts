// Every call to an outside system: a keep-alive agent, timeouts, no redirects, a bounded response, a
// classified error, one log line. Addresses that a tenant configured are checked after resolution,
// at connect time.
import { Agent, request, type Dispatcher } from "undici";
import { createDeadlines } from "../deadlines/deadlines.ts";
import { OutboundError } from "../errors.ts";
import type { Log } from "../log.ts";
import { outboundDuration } from "../telemetry/metrics.ts";
import { inSpan, SpanKind, traceHeaders } from "../telemetry/tracing.ts";
import { toStatusError } from "./answers.ts";
import { noteCall } from "./exchange-recorder.ts";
import { CONNECT_TIMEOUT_MS, guardedConnector } from "./guarded-connector.ts";
import { hideSent } from "./hide-credentials.ts";
import { REFUSED } from "./public-lookup.ts";

const DEFAULT_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_LINE_LENGTH = 4 * 1024 * 1024;
/** HTTP/1.1 only: a call that times out then ends its connection, so that no later one waits on a dead one. */
const KEPT_ALIVE = { keepAliveTimeout: 30_000, allowH2: false } as const;

export type OutboundCall = {
  /** The outside system, by the contract's neutral name. */
  system: string;
  url: string;
  method?: Dispatcher.HttpMethod;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Limit for the whole call, including connecting and reading. */
  timeoutMs?: number;
  maxAnswerBytes?: number;
  /** True when a tenant chose the address: private and loopback addresses are then refused. */
  isTenantAddress?: boolean;
  /** Fields for the log line, for example an event id. Nothing personal. */
  about?: Record<string, unknown>;
  /** Ends the reading of lines. */
  signal?: AbortSignal;
  /** The call exists to get credentials (a token grant): it is never recorded. */
  exchangesCredentials?: boolean;
};

export type OutboundAnswer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  latencyMs: number;
  /** The text is the beginning only: the answer is longer than the call reads. */
  isCut?: true;
};

export type Outbound = {
  /**
   * Returns any status; throws OutboundError when there is no complete response. The text of a status
   * other than 2xx is without the credentials that the call sent.
   */
  send(call: OutboundCall): Promise<OutboundAnswer>;
  /** Like `send`, but throws for a status other than 2xx. */
  call(call: OutboundCall): Promise<OutboundAnswer>;
  /**
   * The response of a GET line by line, holding one line in memory. `timeoutMs` limits the time
   * between two chunks, not the whole call: that is for `signal`, after which no line follows.
   * Throws like `call`.
   */
  lines(call: OutboundCall): AsyncGenerator<string>;
  close(): Promise<void>;
};

type OutboundOptions = {
  log: Log;
  /** Private addresses that tenants may choose. */
  allow: readonly string[];
  /** Name servers for the hosts that tenants choose, in place of the system's. */
  nameServers?: readonly string[] | undefined;
};

export function createOutbound(options: OutboundOptions): Outbound {
  const { log } = options;
  const trusted = new Agent({ ...KEPT_ALIVE, connect: { timeout: CONNECT_TIMEOUT_MS } });
  const guarded = new Agent({
    ...KEPT_ALIVE,
    connect: guardedConnector(new Set(options.allow), options.nameServers ?? []),
  });
  const dispatcherOf = (call: OutboundCall) => (call.isTenantAddress ? guarded : trusted);
  const deadlines = createDeadlines();

  const send = (call: OutboundCall): Promise<OutboundAnswer> =>
    inSpan(
      `${methodOf(call)} ${call.system}`,
      { kind: SpanKind.CLIENT, attributes: { "peer.service": call.system } },
      async (span) => {
        const answer = await exchange(call);
        span?.setAttribute("http.response.status_code", answer.status);
        return answer;
      },
    );

  async function exchange(call: OutboundCall): Promise<OutboundAnswer> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = call;
    const started = performance.now();
    const deadline = deadlines.in(timeoutMs);
    // A request hears its signal only once it is connected. One that is connected after that is not sent.
    const late = new Promise<never>((_, reject) =>
      deadline.signal.once("abort", () => reject(toTimeout(call.system))),
    );
    try {
      const requested = request(call.url, {
        method: methodOf(call),
        headers: { ...call.headers, ...traceHeaders() },
        ...(call.body !== undefined && { body: call.body }),
        dispatcher: dispatcherOf(call),
        signal: deadline.signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const response = await Promise.race([requested, late]);
      const answer = await readAnswer(call, response, started);
      recordAnswer(log, call, answer);
      return answer;
    } catch (error) {
      const classified = classify(call.system, error);
      recordFailure(log, call, classified, msSince(started));
      throw classified;
    } finally {
      deadline.clear();
    }
  }

  async function* lines(call: OutboundCall): AsyncGenerator<string> {
    const { system, timeoutMs = DEFAULT_TIMEOUT_MS } = call;
    const started = performance.now();
    try {
      const response = await request(call.url, {
        dispatcher: dispatcherOf(call),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(call.signal && { signal: call.signal }),
      });
      if (response.statusCode !== 200) {
        const { statusCode: status, headers } = response;
        const { text } = await readBounded(response.body, MAX_ANSWER_BYTES);
        throw toStatusError(system, { status, headers, text: hideSent(text, call), latencyMs: 0 });
      }
      yield* splitLines(system, response.body);
      logCalled(log, call, msSince(started), { status: 200 });
    } catch (error) {
      if (call.signal?.aborted) return logCalled(log, call, msSince(started), { truncated: true });
      const classified = classify(system, error);
      logFailed(log, call, msSince(started), classified);
      throw classified;
    }
  }

  return {
    send,
    lines,
    async call(call) {
      const answer = await send(call);
      if (isSuccess(answer.status)) return answer;
      throw toStatusError(call.system, answer);
    },
    async close() {
      await Promise.all([trusted.destroy(), guarded.destroy()]);
    },
  };
}

const methodOf = (call: OutboundCall) => call.method ?? "GET";
const msSince = (started: number) => Math.round(performance.now() - started);

/** Records a completed call: its log line, its exchange and its duration. */
function recordAnswer(log: Log, call: OutboundCall, answer: OutboundAnswer): void {
  const { status, latencyMs, isCut } = answer;
  logCalled(log, call, latencyMs, { status, ...(isCut && { truncated: true }) });
  noteCall(call, latencyMs, { answer });
  outboundDuration.observe({ system: call.system, result: String(status) }, latencyMs / 1_000);
}

function recordFailure(log: Log, call: OutboundCall, error: OutboundError, ms: number): void {
  logFailed(log, call, ms, error);
  noteCall(call, ms, { failure: error.kind });
  outboundDuration.observe({ system: call.system, result: error.kind }, ms / 1_000);
}

function logCalled(
  log: Log,
  call: OutboundCall,
  ms: number,
  result: { status?: number; truncated?: true },
): void {
  log.info("outbound.called", { ...logFieldsOf(call), ...result, ms, ...call.about });
}

function logFailed(log: Log, call: OutboundCall, ms: number, error: OutboundError): void {
  const { kind, message: reason } = error;
  log.warn("outbound.failed", { ...logFieldsOf(call), kind, reason, ms, ...call.about });
}

const logFieldsOf = (call: OutboundCall) => ({
  system: call.system,
  method: methodOf(call),
  host: URL.parse(call.url)?.host ?? "invalid",
});

async function readAnswer(
  call: OutboundCall,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  started: number,
): Promise<OutboundAnswer> {
  const { text, isCut } = await readBounded(body, call.maxAnswerBytes ?? MAX_ANSWER_BYTES);
  return {
    status,
    headers,
    text: isSuccess(status) ? text : hideSent(text, call),
    latencyMs: msSince(started),
    ...(isCut && { isCut }),
  };
}

const isSuccess = (status: number) => status >= 200 && status < 300;

async function readBounded(
  body: Dispatcher.ResponseData["body"],
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isCut = false;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Reading stops at the limit. A JSON body that was cut fails in parseAnswer.
    if (size > maxBytes) {
      isCut = true;
      body.destroy();
      break;
    }
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString("utf8"), isCut };
}

async function* splitLines(
  system: string,
  body: Dispatcher.ResponseData["body"],
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    if (rest.length > MAX_LINE_LENGTH)
      throw new OutboundError(system, "malformed", {
        message: `${system} sent a line without an end`,
      });
    yield* parts.filter(Boolean);
  }
  if (rest) yield rest;
}

const toTimeout = (system: string) =>
  new OutboundError(system, "timeout", { message: `${system} did not answer in time` });

function classify(system: string, error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === REFUSED)
    return new OutboundError(system, "refused_address", { message: message ?? REFUSED });
  if (name === "TimeoutError" || name === "AbortError" || code?.includes("TIMEOUT"))
    return toTimeout(system);
  return new OutboundError(system, "network", {
    message: `${system} cannot be reached (${code ?? message ?? "unknown"})`,
  });
}
