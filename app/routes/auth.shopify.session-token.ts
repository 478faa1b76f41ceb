// Pages without a session token redirect here: fetches one in the browser and returns with it.
import type { LoaderFunctionArgs } from "@remix-run/node";

export const loader = ({ request, context }: LoaderFunctionArgs) =>
  context.shopify.servePage(request);
