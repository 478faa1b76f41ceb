import { receiveComplianceRequest } from "../http/auth/compliance-request.ts";
import { endpoint } from "../http/endpoint.ts";
import { ReceivedPrivacyRequest } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "A customer must be forgotten: recorded, then erased everywhere.",
    auth: "hmac",
    tenant: "named",
    answers: {
      200: "Recorded; a repetition changes nothing.",
      401: "The signature is missing, doubled or wrong.",
    },
    result: ReceivedPrivacyRequest,
    handle: (call) => receiveComplianceRequest(call, "customer_redact"),
  },
});
