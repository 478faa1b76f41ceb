// How far a CMS sync is that the merchant started.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readCmsSync } from "../domain/channels/cms-sync-run.ts";
import { requireEvents } from "../http/event-screen.ts";
import { visitScreen } from "../http/screen-visit.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(visitScreen(args));
  return Response.json({ run: await readCmsSync(ctx, tenant) });
}
