/**
 * What the service says about itself at its public admin endpoints: what waits, what is retried when,
 * which circuits are open, and the newest attempts. Read while a console is open: soon after something
 * happened, and every few seconds.
 */
import { fieldsOf, textOf } from "../../exchange.ts";
import { createPoller } from "./poller.ts";
import { callService, ServiceAway } from "./service-client.ts";
import type { ServiceAnswer } from "./service-client.ts";

const LATER_MS = 1_200;
const IDLE_MS = 5_000;
const AWAY_MS = 1_500;
const ATTEMPTS = 100;

export type ChannelState = {
  circuit: "closed" | "open";
  delivered: number;
  pending: number;
  nextAttemptAt: string | null;
  openUntil: string | null;
};

export type ServiceState = {
  /** `refused`: the key or the store is not accepted; then `detail` says why. */
  state: "unknown" | "up" | "starting" | "away" | "refused";
  detail: string;
  channels: Record<string, ChannelState>;
  pending: number;
  deadLetters: number;
};

export type Attempt = {
  eventId: string;
  channel: string;
  status: string;
  httpStatus: number | null;
  latencyMs: number;
  attempt: number;
  error: string | null;
  /** When it ended, in milliseconds. */
  at: number;
};

export type ServiceWatch = {
  state(): ServiceState;
  start(): void;
  stop(): void;
  /** Something happened: look soon, and once more a little later. */
  checkSoon(): void;
};

const EMPTY = { channels: {}, pending: 0, deadLetters: 0 };
const UNKNOWN_SERVICE: ServiceState = { state: "unknown", detail: "", ...EMPTY };

export function createServiceWatch(options: {
  appUrl(): string;
  shop(): string;
  adminKey: string | undefined;
  /** Whether somebody wants to know the attempts. */
  wantsAttempts(): boolean;
  onState(state: ServiceState): void;
  onAttempts(attempts: Attempt[]): void;
}): ServiceWatch {
  const ask = (path: string) =>
    callService(
      new URL(`${path}shop=${encodeURIComponent(options.shop())}`, options.appUrl()),
      "GET",
      { headers: options.adminKey ? { authorization: `Bearer ${options.adminKey}` } : {} },
    );
  let state = UNKNOWN_SERVICE;
  /** The next looks that come a little later, because something happened, and not only when idle. */
  let follows = 0;

  async function look(): Promise<void> {
    state = await readState(ask(options.adminKey ? "/admin/events/status?" : "/health?"));
    options.onState(state);
    if (state.state === "up" && options.adminKey && options.wantsAttempts()) {
      const { fields } = await ask(`/admin/events/log?limit=${ATTEMPTS}&`);
      options.onAttempts(toAttempts(fields["entries"]));
    }
  }

  function restMs(): number {
    const calmMs = follows > 0 ? LATER_MS : IDLE_MS;
    follows = Math.max(0, follows - 1);
    return state.state === "up" ? calmMs : AWAY_MS;
  }

  // A service that went away between the two calls is noticed by the next look.
  const poller = createPoller(() =>
    look()
      .catch(() => {})
      .then(restMs),
  );

  return {
    state: () => state,
    start: () => poller.start(),
    stop: () => poller.stop(),
    checkSoon() {
      follows = 2;
      poller.lookSoon();
    },
  };
}

async function readState(asked: Promise<ServiceAnswer>): Promise<ServiceState> {
  try {
    const { status, fields } = await asked;
    if (status === 503) return { state: "starting", detail: "It is starting.", ...EMPTY };
    if (status === 200) return toState(fields);
    const reason = textOf(fields["message"]) || textOf(fields["code"]) || "no reason given";
    return { state: "refused", detail: `It answered ${status}: ${reason}`, ...EMPTY };
  } catch (error) {
    if (error instanceof ServiceAway) return { state: "away", detail: error.message, ...EMPTY };
    throw error;
  }
}

function toState(fields: Record<string, unknown>): ServiceState {
  const waiting = fieldsOf(fields["waiting"]);
  const channels = Object.fromEntries(
    Object.entries(fieldsOf(fields["channels"])).map(([name, value]) => {
      const { circuit, last_24h: day } = fieldsOf(value);
      const { delivered, pending } = fieldsOf(day);
      const { next_attempt_at: next, circuit_open_until: until } = fieldsOf(waiting[name]);
      const channel: ChannelState = {
        circuit: circuit === "open" ? "open" : "closed",
        delivered: Number(delivered ?? 0),
        pending: Number(pending ?? 0),
        nextAttemptAt: textOf(next) || null,
        openUntil: textOf(until) || null,
      };
      return [name, channel];
    }),
  );
  return {
    state: "up",
    detail: "",
    channels,
    pending: Object.values(channels).reduce((sum, { pending }) => sum + pending, 0),
    deadLetters: Number(fieldsOf(fields["dead_letter"])["count"] ?? 0),
  };
}

function toAttempts(entries: unknown): Attempt[] {
  return (Array.isArray(entries) ? entries : []).map(fieldsOf).map((entry) => ({
    eventId: textOf(entry["event_id"]),
    channel: textOf(entry["channel"]),
    status: textOf(entry["status"]),
    httpStatus: entry["http_status"] === null ? null : Number(entry["http_status"]),
    latencyMs: Number(entry["latency_ms"]),
    attempt: Number(entry["attempt"]),
    error: textOf(entry["error"]) || null,
    at: Date.parse(textOf(entry["created_at"])),
  }));
}
