// The remote backend's API (SPEC "integration-enqueue"). The operator deploys it, so its address is
// trusted.
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";

const SYSTEM = "backend";

export type EnqueueRequest = {
  event_id: string;
  source: string;
  event_type: string;
  entity_type: string;
  entity_id: string;
  tenant_shop: string;
  payload: Record<string, unknown>;
  destinations: string[];
  priority: number;
  timestamp: string;
};

export type BackendClient = {
  /**
   * POST {baseUrl}/integration-enqueue: hands one event to the backend, which answers the id of its
   * queue row, for the same `event_id` the same. Throws an OutboundError: `status`, `timeout` after
   * 15 s, `network`, or `malformed` (status 502) when the response does not confirm the row.
   */
  enqueue(
    access: {
      baseUrl: string;
      apiKey: string;
      workspaceId?: string | undefined;
      about?: Record<string, unknown>;
    },
    request: EnqueueRequest,
  ): Promise<{ status: number }>;
};

/** Address and key come with each call. */
export function createBackendClient({ outbound }: { outbound: Outbound }): BackendClient {
  return {
    async enqueue({ baseUrl, apiKey, workspaceId, about }, request) {
      const answer = await outbound.call({
        system: SYSTEM,
        url: `${baseUrl}/integration-enqueue`,
        method: "POST",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          "Content-Type": "application/json",
          ...(workspaceId && { "X-Workspace-Id": workspaceId }),
        },
        body: JSON.stringify(request),
        ...(about && { about }),
      });
      const { ok, queue_id: queueId } = parseAnswer<{ ok?: unknown; queue_id?: unknown }>(
        SYSTEM,
        answer,
      );
      // Without a confirmed row the event could be lost: treat a 2xx without one as a failure. A large id
      // may come as text, as database drivers read it.
      const isId = typeof queueId === "number" || /^\d{1,19}$/.test(String(queueId));
      if (ok !== true || !isId)
        throw new OutboundError(SYSTEM, "malformed", {
          status: 502,
          message: "backend did not confirm the event",
        });
      return { status: answer.status };
    },
  };
}
