// Leaves the admin's frame for a URL that the library trusts.
import type { LoaderFunctionArgs } from "@remix-run/node";

export const loader = ({ request, context }: LoaderFunctionArgs) =>
  context.shopify.servePage(request);
