import { endpoint, plain } from "../http/endpoint.ts";
import { METRICS_CONTENT_TYPE, renderMetrics } from "../http/metrics-endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Prometheus text: requests of this process, queues of all regions.",
    auth: "platform",
    tenant: "none",
    result: "text/plain",
    handle: async ({ ctx }) => plain(200, METRICS_CONTENT_TYPE, await renderMetrics(ctx)),
  },
});
