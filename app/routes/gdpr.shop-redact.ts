import { receiveComplianceRequest } from "../http/auth/compliance-request.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "The store must be forgotten: recorded, then all of its data deleted, unless it installed the app again.",
    auth: "hmac",
    tenant: "named",
    answers: {
      200: "Recorded; a repetition changes nothing.",
      401: "The signature is missing, doubled or wrong.",
    },
    result: Ok,
    handle: (call) => receiveComplianceRequest(call, "shop_redact"),
  },
});
