// How far a change of many customers' tags is.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findTagRun } from "../domain/customers/tag-runs.ts";
import { visitScreen } from "../http/screen-visit.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return Response.json({
    run: await findTagRun(ctx, tenant, new URL(args.request.url).searchParams.get("id") ?? ""),
  });
}
