// How far a replay is.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readReplay } from "../domain/bus/replay-run.ts";
import { requireEvents } from "../http/event-screen.ts";
import { visitScreen } from "../http/screen-visit.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(visitScreen(args));
  return Response.json({ run: await readReplay(ctx, tenant) });
}
