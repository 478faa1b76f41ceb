import { z } from "zod";
import { verifyProof, VerifyInput } from "../domain/agents/ap2/verify-proof.ts";
import { showProofPage, submitProofPage } from "../http/agents/proof-page.ts";
import { endpoint } from "../http/endpoint.ts";
import { PROOF_CHECK } from "../http/rate-limit.ts";
import { CheckedProof } from "../http/openapi/results/mandate-proof.ts";

const Language = z.object({ locale: z.string().max(35).optional() });

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The page on which anybody checks the proof of a mandate.",
    auth: "none",
    tenant: "registered",
    query: Language,
    result: "text/html",
    handle: async ({ request, tenant, query: { locale } }) =>
      showProofPage({ request, tenant, locale }),
  },
  POST: {
    summary:
      "Checks the proof of a mandate: the store's key and signature, what belongs together, time, amounts, and the state in the ledger.",
    auth: "none",
    tenant: "registered",
    rateLimit: PROOF_CHECK,
    query: Language,
    body: VerifyInput,
    answers: { 200: "What holds and what does not, mandate by mandate." },
    result: [CheckedProof, "text/html"],
    handle: ({ ctx, tenant, body }) => verifyProof(ctx, tenant, body),
    handleForm: ({ ctx, request, tenant, query: { locale }, body }) =>
      submitProofPage(ctx, { request, tenant, locale }, body),
  },
});
