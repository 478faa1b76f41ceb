// Where a page without a session token is sent: fetches one in the browser and comes back with it.
import type { LoaderFunctionArgs } from "@remix-run/node";

export const loader = ({ request, context }: LoaderFunctionArgs) =>
  context.shopify.servePage(request);
