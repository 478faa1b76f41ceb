/**
 * The requests that each system received, newest last; bounded so that a long-running demo does not
 * grow.
 */
import type { IncomingHttpHeaders } from "node:http";
import { SYSTEM_NAMES } from "./faults.ts";
import type { SystemName } from "./faults.ts";

/** `path` is inside the system (without its prefix) and includes the query. */
export type SandboxRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  at: Date;
};

/** A request while it is served: reported when it arrives, and again when it is answered. */
export type ObservedRequest = {
  system: SystemName;
  request: SandboxRequest;
  isAnswered: boolean;
  /** Null when no response was sent. */
  status: number | null;
  ms: number;
};

const MAX_KEPT_PER_SYSTEM = 5000;

export function createRequestLog() {
  const received = new Map<SystemName, SandboxRequest[]>(
    SYSTEM_NAMES.map((system) => [system, []]),
  );
  return {
    record(system: SystemName, request: SandboxRequest): void {
      const list = received.get(system);
      if (!list) return;
      list.push(request);
      if (list.length > MAX_KEPT_PER_SYSTEM) list.splice(0, list.length - MAX_KEPT_PER_SYSTEM);
    },
    requests(system: SystemName): SandboxRequest[] {
      return [...(received.get(system) ?? [])];
    },
  };
}
