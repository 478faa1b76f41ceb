// The error page of an embedded screen in the admin's design, with a next step.
import { useTranslation } from "react-i18next";
import { isRouteErrorResponse, useRevalidator, useRouteError } from "@remix-run/react";
import { AppProvider, Banner } from "@shopify/polaris";
import translations from "@shopify/polaris/locales/en.json" with { type: "json" };
import { ScreenBody } from "../ui/layout.tsx";
import { LostConnection } from "./lost-connection.ts";

const PROBLEMS = [400, 401, 404, 409, 410] as const;
const WARNINGS = [400, 404, 409];

/** Inside the frame with its menu: every screen exports it as its ErrorBoundary. */
export function ScreenProblem() {
  const error = useRouteError();
  const { t } = useTranslation("frame");
  const again = useTryAgain();
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const problem = PROBLEMS.find((known) => known === status) ?? "other";

  if (error instanceof LostConnection) return <NoConnection />;
  return (
    <ScreenBody>
      <Banner
        tone={WARNINGS.includes(status) ? "warning" : "critical"}
        title={t(`problems.${problem}.title`)}
        {...(status === 409 && { action: { content: t("toHome"), url: "/app" } })}
        {...(problem === "other" && { action: again })}
      >
        <p>{t(`problems.${problem}.text`)}</p>
      </Banner>
    </ScreenBody>
  );
}

/** The button that loads the page's data once more. */
function useTryAgain() {
  const { t } = useTranslation("frame");
  const { revalidate, state } = useRevalidator();
  return { content: t("tryAgain"), loading: state === "loading", onAction: revalidate };
}

function NoConnection() {
  const { t } = useTranslation("frame");
  const again = useTryAgain();
  return (
    <ScreenBody>
      <Banner tone="warning" title={t("problems.offline.title")} action={again}>
        <p>{t("problems.offline.text")}</p>
      </Banner>
    </ScreenBody>
  );
}

/** For errors of the frame itself: it includes the design system. */
export function ScreenError() {
  return (
    <AppProvider i18n={translations}>
      <ScreenProblem />
    </AppProvider>
  );
}
