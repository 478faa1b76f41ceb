// The progress of a CMS sync that the merchant started.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readCmsSync } from "../domain/channels/cms/sync-run.ts";
import { requireEvents } from "../http/screens/require-events.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  return Response.json({ run: await readCmsSync(ctx, tenant) });
}
