// How far the storefront check is.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readStorefrontRun } from "../domain/storefront-check/storefront-check.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({ run: await readStorefrontRun(ctx, tenant) });
}
