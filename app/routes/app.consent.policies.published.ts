// The policies that the store publishes, to start a version from.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readPublishedPolicies } from "../domain/consent/published-policies.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json(await readPublishedPolicies(ctx, tenant));
}
