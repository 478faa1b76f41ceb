import { useTranslation } from "react-i18next";
import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { Banner } from "@shopify/polaris";
import { ScreenProblem } from "../frame/screen-error.tsx";
import { ScreenPage } from "../frame/screen-page.tsx";
import { SectionNav } from "../frame/section-nav.tsx";

export function EventSections() {
  const { t } = useTranslation("events");
  const pages = [
    { path: "/app/events", text: t("overview") },
    { path: "/app/events/dead-letters", text: t("dead") },
    { path: "/app/events/log", text: t("log") },
    { path: "/app/events/destinations", text: t("destinations") },
  ];
  return <SectionNav label={t("sections")} pages={pages} />;
}

/** Explains to a store of the role `shared` why the events screens are unavailable. */
export function EventsProblem() {
  const error = useRouteError();
  const { t } = useTranslation("events");
  if (!isRouteErrorResponse(error) || error.status !== 403) return <ScreenProblem />;
  return (
    <ScreenPage title={t("title")}>
      <Banner tone="info" title={t("forbidden.title")}>
        <p>{t("forbidden.text")}</p>
      </Banner>
    </ScreenPage>
  );
}
