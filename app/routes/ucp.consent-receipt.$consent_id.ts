import { findReceipt } from "../domain/consent/consent-history.ts";
import { endpoint } from "../http/endpoint.ts";
import { ConsentReceipt } from "../http/openapi/results/consent.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The receipt of one decision, with its place in the chain.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    result: ConsentReceipt,
    async handle({ ctx, tenant, principal, params }) {
      const receipt = await findReceipt(ctx, tenant, {
        consentId: params.consent_id ?? "",
        userId: principal.account.id,
      });
      if (!receipt) throw new AppError("not_found");
      return receipt;
    },
  },
});
