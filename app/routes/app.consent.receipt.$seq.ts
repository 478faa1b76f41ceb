// The proof of one decision, as a file.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findDecision, findReceipt } from "../domain/consent/consent-history.ts";
import { jsonFile } from "../http/screen-file.ts";
import { notFound, visitScreen } from "../http/screen-visit.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const { seq = "" } = args.params;
  const decision = /^\d{1,15}$/.test(seq) ? await findDecision(ctx, tenant, Number(seq)) : null;
  const receipt =
    decision &&
    (await findReceipt(ctx, tenant, decision.userId, decision.consentId, decision.visitorId));
  return receipt ? jsonFile(`consent-proof-${seq}.json`, receipt) : notFound();
}
