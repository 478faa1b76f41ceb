/**
 * One press of a scenario's button: what was done, step by step, and with which result. The service's
 * own log of attempts says what was delivered; the sandbox's request log says what arrived.
 */
import type { SystemName } from "../../faults.ts";
import type { Attempt, ServiceState } from "./service-watch.ts";
import { identifiersOf, toReceived } from "./received.ts";
import type { Received, Subject } from "./received.ts";
import { systemOfChannel } from "./systems.ts";

export type Tone = "good" | "bad" | "waiting" | "neutral";
/** Who calls whom in a step: a system, the service, an agent, or somebody unknown. */
export type Place = SystemName | "service" | "agent" | "stranger";

export type Step = {
  /** Since the run began. */
  atMs: number;
  from: Place;
  to: Place;
  text: string;
  status: number | null;
  ms: number | null;
  tone: Tone;
};

type RunDelivery = {
  eventId: string;
  channel: string;
  system: SystemName;
  label: string;
  state: "delivered" | "skipped" | "retry" | "dead";
  httpStatus: number | null;
  ms: number;
  attempts: number;
  reason: string | null;
  atMs: number;
  received: Received | null;
};

/** A request that a system received, as the console keeps it for a while. */
export type Seen = {
  system: SystemName;
  method: string;
  path: string;
  body: unknown;
  at: number;
  isClaimed: boolean;
};

type RunFacts = {
  id: number;
  scenario: string;
  title: string;
  startedAt: number;
  isActing: boolean;
  problem: string | null;
  subject: Subject | null;
  diff: { field: string; before: string; after: string }[];
  steps: Step[];
  deliveries: RunDelivery[];
  /** The systems for which something waits in the service's queue. */
  owed: string[];
  /** Set by a scenario whose success is not a delivery. */
  outcome: { tone: Tone; text: string } | null;
};

export type Run = RunFacts & {
  /** The platform's event ids under which this run sends its webhooks. */
  causes: Set<string>;
  /** The ids of those webhooks. */
  webhookIds: Set<string>;
  /** The service's events that this run caused without a webhook. */
  eventIds: Set<string>;
  /** Until this time, events without a webhook count as results of this run. */
  adoptsUntil: number;
};

/** What the page shows. */
export type RunView = RunFacts & {
  verdict: { tone: Tone; text: string };
};

/** An attempt's time is the database's, and comes a little after the answer. */
const BEFORE_MS = 400;
const AFTER_MS = 150;

export function newRun(id: number, scenario: string, title: string): Run {
  return {
    id,
    scenario,
    title,
    startedAt: Date.now(),
    isActing: true,
    problem: null,
    subject: null,
    diff: [],
    steps: [],
    deliveries: [],
    owed: [],
    outcome: null,
    causes: new Set(),
    webhookIds: new Set(),
    eventIds: new Set(),
    adoptsUntil: 0,
  };
}

/**
 * Takes what the service's log says about the run's events. `causeOf` names the webhook of an event;
 * `isTaken` says that an earlier run has the event. Returns whether the run changed.
 */
export function applyAttempts(
  run: Run,
  attempts: readonly Attempt[],
  options: {
    service: ServiceState;
    seen: readonly Seen[];
    causeOf(eventId: string): string | undefined;
    isTaken(eventId: string): boolean;
  },
): boolean {
  const before = JSON.stringify([run.deliveries, run.owed]);
  run.owed = owedBy(options.service);
  for (const attempt of attempts.toSorted((a, b) => a.at - b.at)) {
    const { eventId, at } = attempt;
    const webhookId = options.causeOf(eventId);
    const isAdopted =
      webhookId === undefined &&
      at >= run.startedAt &&
      at <= run.adoptsUntil &&
      !options.isTaken(eventId);
    if (isAdopted) run.eventIds.add(eventId);
    const isOfRun =
      webhookId === undefined ? run.eventIds.has(eventId) : run.webhookIds.has(webhookId);
    if (isOfRun) applyAttempt(run, attempt, options);
  }
  return JSON.stringify([run.deliveries, run.owed]) !== before;
}

const owedBy = ({ channels }: ServiceState): string[] => {
  const waiting = Object.keys(channels).filter((name) => (channels[name]?.pending ?? 0) > 0);
  return [...new Set(waiting.flatMap((name) => systemOfChannel(name)?.label ?? []))].sort();
};

function applyAttempt(
  run: Run,
  attempt: Attempt,
  { service, seen }: { service: ServiceState; seen: readonly Seen[] },
): void {
  const place = systemOfChannel(attempt.channel);
  if (!place) return;
  const index = run.deliveries.findIndex(
    ({ eventId, channel }) => eventId === attempt.eventId && channel === attempt.channel,
  );
  const known = run.deliveries[index];
  if (known && known.attempts > attempt.attempt) return;
  const isNew = !known || known.attempts < attempt.attempt;
  const delivery: RunDelivery = {
    eventId: attempt.eventId,
    channel: attempt.channel,
    system: place.system,
    label: place.label,
    state: stateAfter(attempt, service),
    httpStatus: attempt.httpStatus,
    ms: attempt.latencyMs,
    attempts: attempt.attempt,
    reason: attempt.error,
    atMs: attempt.at - run.startedAt,
    received: (isNew ? claim(run, place.system, attempt, seen) : known.received) ?? null,
  };
  if (index < 0) run.deliveries.push(delivery);
  else run.deliveries[index] = delivery;
}

function stateAfter(
  { status, channel, httpStatus, error }: Attempt,
  { channels }: ServiceState,
): RunDelivery["state"] {
  if (status === "delivered")
    return httpStatus === null && error !== null ? "skipped" : "delivered";
  return (channels[channel]?.pending ?? 0) > 0 ? "retry" : "dead";
}

/** The request of an attempt: the one about the same person, else the last one of its time. */
function claim(
  run: Run,
  system: SystemName,
  { at, latencyMs }: Attempt,
  seen: readonly Seen[],
): Received | null {
  const inTime = seen.filter(
    (one) =>
      one.system === system &&
      !one.isClaimed &&
      one.at >= at - latencyMs - BEFORE_MS &&
      one.at <= at + AFTER_MS,
  );
  const marks = run.subject ? identifiersOf(run.subject) : [];
  const isAbout = (one: Seen) => {
    const text = one.path + JSON.stringify(one.body);
    return marks.some((mark) => mark !== "" && text.includes(mark));
  };
  const writes = inTime.filter(({ method }) => method !== "GET");
  const found = writes.findLast(isAbout) ?? writes.at(-1) ?? inTime.at(-1);
  if (!found) return null;
  found.isClaimed = true;
  return toReceived(system, found, run.subject);
}

export function viewOf(run: Run): RunView {
  const { id, scenario, title, startedAt, isActing, problem } = run;
  const { subject, diff, steps, deliveries, owed, outcome } = run;
  const about = { id, scenario, title, startedAt, isActing, problem, subject };
  return { ...about, diff, steps, deliveries, owed, outcome, verdict: verdictOf(run) };
}

function verdictOf(run: RunFacts): RunView["verdict"] {
  const { problem, isActing, outcome, deliveries, owed } = run;
  if (problem) return { tone: "bad", text: problem };
  if (isActing) return { tone: "neutral", text: "Running…" };
  const dead = deliveries.filter(({ state }) => state === "dead");
  if (dead.length > 0)
    return {
      tone: "bad",
      text: `${labelsOf(dead)} rejected the data (${statusOf(dead)}): a dead letter, which can be replayed in the app.`,
    };
  const retried = deliveries.filter(({ state }) => state === "retry");
  if (retried.length > 0)
    return {
      tone: "waiting",
      text: `${labelsOf(retried)} failed (${statusOf(retried)}). The delivery stays in the queue and is retried.`,
    };
  if (outcome) return outcome;
  const reached = deliveries.filter(({ state }) => state === "delivered");
  if (reached.length === 0)
    return { tone: "neutral", text: `The service has it.${owedText(owed)}` };
  const systems = new Set(reached.map(({ system }) => system)).size;
  const tookMs = Math.max(...reached.map(({ atMs }) => atMs));
  return {
    tone: owed.length > 0 ? "waiting" : "good",
    text: `${systems === 1 ? "1 system has" : `${systems} systems have`} it, ${tookMs} ms after the change.${owedText(owed)}`,
  };
}

const owedText = (owed: string[]): string =>
  owed.length > 0 ? ` Deliveries to ${owed.join(", ")} wait in the queue.` : "";

const labelsOf = (deliveries: RunDelivery[]): string =>
  [...new Set(deliveries.map(({ label }) => label))].join(", ");

const statusOf = (deliveries: RunDelivery[]): string =>
  [...new Set(deliveries.map(({ httpStatus }) => String(httpStatus ?? "no answer")))].join(", ");
