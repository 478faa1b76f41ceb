// The frame of the admin pages outside the store admin. What stands in it is behind the gate (http/admin-gate.ts).
import type { LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import stylesheet from "@shopify/polaris/build/esm/styles.css?url";
import { StandaloneFrame } from "../components/standalone/standalone-frame.tsx";
import { localeOf } from "../components/words.tsx";
import { designTranslations } from "../http/design-translations.ts";

export { StandaloneFailure as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheet }];

export async function loader({ request }: LoaderFunctionArgs) {
  const locale = localeOf(request);
  return { locale, design: await designTranslations(locale) };
}

/** The language of the first address stays. */
export const shouldRevalidate = () => false;

export default function Standalone() {
  const frame = useLoaderData<typeof loader>();
  return (
    <StandaloneFrame {...frame}>
      <Outlet />
    </StandaloneFrame>
  );
}
