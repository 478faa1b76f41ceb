// What this process counts for Prometheus. Labels have few values and never name a store or a person.
import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

export const registry = new Registry();
collectDefaultMetrics({ register: registry });
const registers = [registry];

const FAST = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 3_600];

export const requestDuration = new Histogram({
  name: "http_request_duration_seconds",
  help: "Requests answered by endpoints.",
  labelNames: ["method", "route", "status"] as const,
  buckets: FAST,
  registers,
});

export const requestErrors = new Counter({
  name: "http_request_errors_total",
  help: "Requests refused, by the error's code: for example invalid_signature and too_many_requests.",
  labelNames: ["code"] as const,
  registers,
});

export const deliveryDuration = new Histogram({
  name: "delivery_duration_seconds",
  help: "Delivery attempts, by channel and outcome.",
  labelNames: ["channel", "outcome"] as const,
  buckets: FAST,
  registers,
});

export const eventDuration = new Histogram({
  name: "event_delivered_seconds",
  help: "From an event's arrival to its delivery to a channel.",
  labelNames: ["channel"] as const,
  buckets: SLOW,
  registers,
});

export const circuitsOpened = new Counter({
  name: "circuits_opened_total",
  help: "How often a store's channel was paused after failures.",
  labelNames: ["channel"] as const,
  registers,
});

export const outboundDuration = new Histogram({
  name: "outbound_request_duration_seconds",
  help: "Calls to outside systems: result is the status, or why there was none.",
  labelNames: ["system", "result"] as const,
  buckets: FAST,
  registers,
});

export const consentsRecorded = new Counter({
  name: "consents_recorded_total",
  help: "Entries of the consent log.",
  labelNames: ["action"] as const,
  registers,
});

export const tokenRefreshes = new Counter({
  name: "storefront_token_refreshes_total",
  help: "Access tokens asked for with a refresh token.",
  labelNames: ["outcome"] as const,
  registers,
});

export const replicaReads = new Counter({
  name: "replica_reads_total",
  help: "Statements that a replica may serve, by the server that did: replica or primary.",
  labelNames: ["region", "served_by"] as const,
  registers,
});
