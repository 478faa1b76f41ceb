// Whether an agent has called since the screen was loaded. Holds no data of people, so that waiting is
// not recorded as an access.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readActivityMark } from "../domain/agent-activity/activity-list.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({ mark: await readActivityMark(ctx, tenant) });
}
