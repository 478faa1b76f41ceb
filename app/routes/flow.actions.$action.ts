import { z } from "zod";
import { FLOW_OUTCOMES } from "../domain/flow/flow-tasks.ts";
import { FlowRun, runFlowAction } from "../domain/flow/run-flow-action.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

const MAX_BYTES = 64 * 1024;

export const { loader, action, route } = endpoint({
  POST: {
    summary: "A workflow of Shopify Flow runs one of the app's actions on a customer.",
    auth: "flow",
    tenant: "registered",
    accepts: FlowRun,
    maxBytes: MAX_BYTES,
    answers: {
      200: "Done; a repetition of the run changes nothing and answers the same.",
      401: "The signature is missing, doubled or wrong, or the body names another store.",
    },
    result: Ok.extend({
      outcome: z.enum(FLOW_OUTCOMES),
      deduplicated: z.literal(true).optional(),
    }),
    async handle({ ctx, tenant, params, body, note }) {
      const { user_id: userId, ...answer } = await runFlowAction(
        ctx,
        tenant,
        params.action ?? "",
        body,
      );
      note({ action: params.action, user_id: userId, outcome: answer.outcome });
      return json(200, answer);
    },
  },
});
