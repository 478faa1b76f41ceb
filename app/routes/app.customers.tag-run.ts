// The progress of a bulk change.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findBulkRun } from "../domain/customers/bulk/run-row.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({
    run: await findBulkRun(ctx, tenant, new URL(args.request.url).searchParams.get("id") ?? ""),
  });
}
