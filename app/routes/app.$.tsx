// An address below /app that no screen has: said inside the frame, where the menu leads on.
import { data, type HeadersFunction, type LoaderFunctionArgs } from "@remix-run/node";
import { boundary } from "@shopify/shopify-app-remix/server";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader({ request, context: { shopify } }: LoaderFunctionArgs) {
  await shopify.authenticateAdmin(request);
  throw data(null, { status: 404 });
}

// Remix asks for both names.
export { loader as action };

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Nothing() {
  return null;
}
