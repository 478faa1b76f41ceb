/** Every request each system received, newest last; bounded so that a demo left running does not grow. */
import type { IncomingHttpHeaders } from "node:http";
import { SYSTEM_NAMES } from "./faults.ts";
import type { SystemName } from "./faults.ts";

/** `path` is inside the system (without its prefix) and keeps the query. */
export type SandboxRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: unknown;
  at: Date;
};

const KEPT_PER_SYSTEM = 5000;

export function createRequestLog() {
  const received = new Map<SystemName, SandboxRequest[]>(
    SYSTEM_NAMES.map((system) => [system, []]),
  );
  return {
    record(system: SystemName, request: SandboxRequest): void {
      const list = received.get(system);
      if (!list) return;
      list.push(request);
      if (list.length > KEPT_PER_SYSTEM) list.splice(0, list.length - KEPT_PER_SYSTEM);
    },
    requests(system: SystemName): SandboxRequest[] {
      return [...(received.get(system) ?? [])];
    },
  };
}
