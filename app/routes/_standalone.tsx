// The frame of the admin pages outside the store admin. Its pages are behind the gate
// (http/screens/admin-gate.ts).
import type { LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import stylesheet from "@shopify/polaris/build/esm/styles.css?url";
import forcedColors from "../components/frame/forced-colors.css?url";
import { StandaloneFrame } from "../components/standalone/standalone-frame.tsx";
import { standaloneTitles } from "../components/standalone/standalone-meta.ts";
import { localeOf } from "../components/i18n/locale.ts";
import { textOf } from "../components/i18n/translations.server.ts";
import { designTranslations } from "../http/screens/design-translations.ts";

export { StandaloneFailure as ErrorBoundary } from "../components/standalone/standalone-frame.tsx";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheet },
  { rel: "stylesheet", href: forcedColors, media: "(forced-colors: active)" },
];

export const handle = { i18n: ["standalone"] };

export async function loader({ request }: LoaderFunctionArgs) {
  return {
    design: await designTranslations(localeOf(request)),
    titles: standaloneTitles((key) => textOf(request, "standalone", key)),
  };
}

/** Keeps the language of the first URL. */
export const shouldRevalidate = () => false;

export default function Standalone() {
  const { design } = useLoaderData<typeof loader>();
  return (
    <StandaloneFrame design={design}>
      <Outlet />
    </StandaloneFrame>
  );
}
