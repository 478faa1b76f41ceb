// The API reference: /openapi.json, shown by a component that this service serves itself
// (docs/decisions/036).
import { createElement, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { HeadersFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import explorer from "openapi-explorer/dist/browser/openapi-explorer.min.js?url";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { textOf } from "../components/i18n/translations.server.ts";
import { demoKey } from "../http/screens/demo-key.ts";

export const handle = { i18n: ["pages"] };
export const clientLoader = withTranslations(handle);

export const meta: MetaFunction<typeof loader> = ({ data }) => [{ title: data?.title }];

/** The page may hold the sandbox's key. */
export const headers: HeadersFunction = () => ({ "Cache-Control": "no-store" });

export const loader = ({ request, context: { ctx } }: LoaderFunctionArgs) => ({
  title: textOf(request, "pages", "apiReference.title"),
  key: demoKey(ctx.config, ctx.baseUrl, request.headers.get("host")),
});

/** Dark enough to be read on white (WCAG AA); the component's own are not. */
const COLORS = {
  "--blue": "#0550ae",
  "--green": "#1a6b2f",
  "--light-fg": "#5c5c5c",
  "--orange": "#9a3e00",
  "--purple": "#6f3aa6",
  "--red": "#b3261e",
  "--yellow": "#7a5b00",
};
/** Both are opened by the operator's key. */
const KEY_SCHEMES = ["adminKey", "platformKey"];

type Explorer = HTMLElement & {
  resolvedSpec?: object;
  setAuthenticationConfiguration(scheme: string, values: { token: string }): Promise<void>;
};

export default function ApiReference() {
  const { key } = useLoaderData<typeof loader>();
  const { t } = useTranslation("pages");
  const element = useRef<Explorer>(null);

  useEffect(() => {
    const reference = element.current;
    if (!reference || key === null) return undefined;
    const fillIn = () => {
      for (const scheme of KEY_SCHEMES)
        void reference.setAuthenticationConfiguration(scheme, { token: key });
    };
    if (reference.resolvedSpec) fillIn();
    reference.addEventListener("spec-loaded", fillIn);
    return () => reference.removeEventListener("spec-loaded", fillIn);
  }, [key]);

  return (
    <>
      {createElement(
        "openapi-explorer",
        {
          ref: element,
          "spec-url": "/openapi.json",
          "primary-color": "#303030",
          "secondary-color": "#005bd3",
          "nav-bg-color": "#f1f1f1",
          "nav-text-color": "#303030",
          "nav-hover-bg-color": "#e3e3e3",
          "nav-hover-text-color": "#1a1a1a",
          "hide-server-selection": "true",
          collapse: "true",
          style: COLORS,
        },
        <div slot="overview">
          <h1>{t("apiReference.title")}</h1>
          <p>
            {t("apiReference.text")} <a href="/openapi.json">/openapi.json</a>
          </p>
        </div>,
      )}
      <script type="module" src={explorer} />
    </>
  );
}
