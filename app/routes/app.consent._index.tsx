// The store's consent log, its verification, and its export.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DecisionsCard } from "../components/charts/decisions-card.tsx";
import { ConsentExportButton } from "../components/consent/consent-export-button.tsx";
import { ConsentLogCard } from "../components/consent/consent-log-card.tsx";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { ConsentVerifyCard } from "../components/consent/consent-verify-card.tsx";
import { OptInCard } from "../components/consent/opt-in-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { readConsentCounts } from "../domain/consent/consent-counts.ts";
import { ConsentFilters, listConsentLog } from "../domain/consent/consent-log.ts";
import { readVerification, startVerification } from "../domain/consent/verification-run.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { readScreenPage } from "../http/screens/screen-page.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent"] };
export const clientLoader = withTranslations(handle);

const DAYS = 30;

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess, filters, limit, position, toNext } = await readScreenPage(
    args,
    "consent",
    ConsentFilters,
  );
  const reader = await forReading(ctx, tenant);
  const [{ records, next }, { days, rates }, verification] = await Promise.all([
    listConsentLog(reader, tenant, filters, { limit, before: position }),
    readConsentCounts(reader, tenant, DAYS),
    readVerification(ctx, tenant),
  ]);
  await recordAccess({ action: "listed", count: records.length });
  return { records, next: toNext(next), filters, days, rates, verification };
}

export const action = defineActions({
  verify: {
    input: NoInput,
    run: async ({ ctx, tenant }) => ({
      isStarted: await startVerification(ctx, tenant),
    }),
  },
});

export default function Consent() {
  const { t } = useTranslation("consent");
  const { days, rates, verification, ...list } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("title")} nav={<ConsentSections />} actions={<ConsentExportButton />}>
      <OptInCard rates={rates} days={days.length} />
      <DecisionsCard
        title={t("chart")}
        when={t("day")}
        days={days}
        summaryOf={(totals) => t("chartSummary", { ...totals, days: days.length })}
      />
      <ConsentVerifyCard verification={verification} />
      <ConsentLogCard {...list} />
    </ScreenPage>
  );
}
