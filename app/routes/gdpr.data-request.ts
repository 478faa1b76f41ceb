import { receiveComplianceRequest } from "../http/auth/compliance-request.ts";
import { endpoint } from "../http/endpoint.ts";
import { ReceivedPrivacyRequest } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "A customer asks for the data kept of them: recorded, exported to the archive afterwards, the link mailed to the merchant.",
    auth: "hmac",
    tenant: "named",
    answers: {
      200: "Recorded; a repetition changes nothing.",
      401: "The signature is missing, doubled or wrong.",
    },
    result: ReceivedPrivacyRequest,
    handle: (call) => receiveComplianceRequest(call, "data_request"),
  },
});
