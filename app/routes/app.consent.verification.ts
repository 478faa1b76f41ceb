// The progress of the consent log's verification.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readVerification } from "../domain/consent/verification-run.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({ run: await readVerification(ctx, tenant) });
}
