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
  /** Asked for the names that tenants choose, instead of the system's. */
  nameServers?: readonly string[] | undefined;
};

export function createOutbound(options: OutboundOptions): Outbound {
  const trusted = new Agent({ ...KEPT_ALIVE, connect: { timeout: CONNECT_TIMEOUT_MS } });
  const guarded = new Agent({
    ...KEPT_ALIVE,
    connect: guardedConnector(new Set(options.allow), options.nameServers ?? []),
  });

  const deadlines = createDeadlines();

  const send = (call: OutboundCall): Promise<OutboundAnswer> =>
    inSpan(
      `${call.method ?? "GET"} ${call.system}`,
      { kind: SpanKind.CLIENT, attributes: { "peer.service": call.system } },
      async (span) => {
        const answer = await exchange(call);
        span?.setAttribute("http.response.status_code", answer.status);
        return answer;
      },
    );

  async function exchange(call: OutboundCall): Promise<OutboundAnswer> {
    const {
      system,
      url,
      method = "GET",
      timeoutMs = DEFAULT_TIMEOUT_MS,
      isTenantAddress = false,
    } = call;
    const started = performance.now();
    const latency = () => Math.round(performance.now() - started);
    const deadline = deadlines.in(timeoutMs);
    try {
      const answer = await request(url, {
        method,
        headers: { ...call.headers, ...traceHeaders() },
        ...(call.body !== undefined && { body: call.body }),
        dispatcher: isTenantAddress ? guarded : trusted,
        signal: deadline.signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const { text, isCut } = await readBounded(
        answer.body,
        call.maxAnswerBytes ?? MAX_ANSWER_BYTES,
      );
      options.log.info("outbound.called", {
        system,
        method,
        host: hostOf(url),
        status: answer.statusCode,
        ms: latency(),
        ...(isCut && { truncated: true }),
        ...call.about,
      });
      const complete = {
        status: answer.statusCode,
        headers: answer.headers,
        text: isSuccess(answer.statusCode) ? text : hideSent(text, call),
        latencyMs: latency(),
        ...(isCut && { isCut }),
      };
      noteCall(call, complete.latencyMs, { answer: complete });
      outboundDuration.observe(
        { system, result: String(complete.status) },
        complete.latencyMs / 1_000,
      );
      return complete;
    } catch (error) {
      const classified = classify(system, error);
      options.log.warn("outbound.failed", {
        system,
        method,
        host: hostOf(url),
        kind: classified.kind,
        reason: classified.message,
        ms: latency(),
        ...call.about,
      });
      noteCall(call, latency(), { failure: classified.kind });
      outboundDuration.observe({ system, result: classified.kind }, latency() / 1_000);
      throw classified;
    } finally {
      deadline.clear();
    }
  }

  async function* lines(call: OutboundCall): AsyncGenerator<string> {
    const { system, url, timeoutMs = DEFAULT_TIMEOUT_MS } = call;
    const started = performance.now();
    const about = () => ({
      system,
      method: "GET",
      host: hostOf(url),
      ms: Math.round(performance.now() - started),
      ...call.about,
    });
    try {
      const answer = await request(url, {
        dispatcher: call.isTenantAddress ? guarded : trusted,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(call.signal && { signal: call.signal }),
      });
      if (answer.statusCode !== 200) {
        const { text } = await readBounded(answer.body, MAX_ANSWER_BYTES);
        throw toStatusError(system, {
          status: answer.statusCode,
          headers: answer.headers,
          text: hideSent(text, call),
          latencyMs: 0,
        });
      }
      yield* splitLines(system, answer.body);
      options.log.info("outbound.called", { ...about(), status: 200 });
    } catch (error) {
      if (call.signal?.aborted) {
        options.log.info("outbound.called", { ...about(), truncated: true });
        return;
      }
      const classified = classify(system, error);
      options.log.warn("outbound.failed", {
        ...about(),
        kind: classified.kind,
        reason: classified.message,
      });
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

function classify(system: string, error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  if (code === REFUSED)
    return new OutboundError(system, "refused_address", { message: message ?? REFUSED });
  if (name === "TimeoutError" || name === "AbortError" || code?.includes("TIMEOUT"))
    return new OutboundError(system, "timeout", { message: `${system} did not answer in time` });
  return new OutboundError(system, "network", {
    message: `${system} cannot be reached (${code ?? message ?? "unknown"})`,
  });
}

const hostOf = (url: string) => URL.parse(url)?.host ?? "invalid";
