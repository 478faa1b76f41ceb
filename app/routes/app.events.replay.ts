// The progress of a replay.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readReplay } from "../domain/bus/dead-letters/replay-run.ts";
import { requireEvents } from "../http/screens/require-events.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  return Response.json({ run: await readReplay(ctx, tenant) });
}
