import { readBusStatus } from "../domain/bus/log/bus-status.ts";
import { endpoint } from "../http/endpoint.ts";
import { BusStatus } from "../http/openapi/results/events.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Every channel's circuit and last day, the dead letters, the throughput of the last hour.",
    auth: "event_admin",
    tenant: "registered",
    result: BusStatus,
    handle({ ctx, tenant }) {
      return readBusStatus(ctx, tenant);
    },
  },
});
