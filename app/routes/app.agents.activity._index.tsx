// What agents asked, for whom, and what came of it; current while it is open.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ActivityCard } from "../components/agents/activity-card.tsx";
import { ActivityCharts } from "../components/agents/activity-charts.tsx";
import { AgentSections } from "../components/agents/agent-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { ActivityFilters } from "../domain/agent-activity/activity-filters.ts";
import { readAgentActivity } from "../domain/merchant/agent-activity.ts";
import { readKeyedScreenPage } from "../http/screens/screen-page.ts";

export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["agents", "agent-activity"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess, filters, limit, position, toNext } = await readKeyedScreenPage(
    args,
    "agent-activity",
    ActivityFilters,
  );
  const { next, ...screen } = await readAgentActivity(ctx, tenant, filters, {
    limit,
    after: position,
  });
  await recordAccess({ action: "listed", count: screen.activity.length });
  return { ...screen, next: toNext(next), filters };
}

export default function AgentActivity() {
  const { t } = useTranslation("agent-activity");
  const { totals, ...list } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("title")} nav={<AgentSections />}>
      <ActivityCharts {...totals} />
      <ActivityCard {...list} />
    </ScreenPage>
  );
}
