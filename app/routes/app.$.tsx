// Answers 404 inside the frame for an unknown address below /app.
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import { authenticate } from "../shopify.server.ts";

export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  await authenticate.shop(args);
  throw data(null, { status: 404 });
}

// Remix requires both names.
export { loader as action };

export default function Nothing() {
  return null;
}
