// What shoppers do with the banner: counts and rates of a period, by day and by one cut.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { InsightScreen } from "../components/consent/insights/insight-screen.tsx";
import { InsightExportButton } from "../components/consent/insights/insight-export-button.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { InsightQuery, readInsights } from "../domain/consent/insights/read-insights.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { authenticate } from "../shopify.server.ts";

export { skipRevalidationOnFailure as shouldRevalidate } from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent", "insights"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const query = InsightQuery.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  return { query, insights: await readInsights(await forReading(ctx, tenant), tenant, query) };
}

export default function ConsentInsights() {
  const { t } = useTranslation("insights");
  const { query, insights } = useLoaderData<typeof loader>();
  return (
    <ScreenPage
      title={t("title")}
      nav={<ConsentSections />}
      actions={<InsightExportButton days={query.days} />}
    >
      <InsightScreen query={query} insights={insights} />
    </ScreenPage>
  );
}
