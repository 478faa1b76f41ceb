// The progress of a bulk change of tags.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findTagRun } from "../domain/customers/list/tag-runs.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({
    run: await findTagRun(ctx, tenant, new URL(args.request.url).searchParams.get("id") ?? ""),
  });
}
