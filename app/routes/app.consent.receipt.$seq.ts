// The receipt of one decision, as a file.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findDecision, findReceipt } from "../domain/consent/consent-history.ts";
import { jsonFile } from "../http/screens/screen-file.ts";
import { notFound } from "../http/screens/screen-address.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const { seq = "" } = args.params;
  const decision = /^\d{1,15}$/.test(seq) ? await findDecision(ctx, tenant, Number(seq)) : null;
  const receipt = decision && (await findReceipt(ctx, tenant, decision));
  if (!receipt) return notFound();
  const { userId } = decision;
  await recordAccess({ action: "viewed", ...(userId !== null && { userIds: [userId] }) });
  return jsonFile(`consent-proof-${seq}.json`, receipt);
}
