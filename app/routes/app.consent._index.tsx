// The consent log of the store: what was decided, whether the log is whole, and its export.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ConsentChartCard } from "../components/consent/consent-chart-card.tsx";
import { ConsentExportButton } from "../components/consent/consent-export-button.tsx";
import { ConsentLogCard } from "../components/consent/consent-log-card.tsx";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { ConsentVerifyCard } from "../components/consent/consent-verify-card.tsx";
import { CONSENT_WORDS } from "../components/consent/consent-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { ConsentFilters, countConsentDays, listConsentLog } from "../domain/consent/consent-log.ts";
import { readVerification, startVerification } from "../domain/consent/verification-run.ts";
import { deed, deeds, NOTHING_TO_SAY } from "../http/screen-deeds.ts";
import { readScreenPage } from "../http/screen-page.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await readScreenPage(
    args,
    "consent",
    ConsentFilters,
  );
  const [{ records, next }, days, verification] = await Promise.all([
    listConsentLog(ctx, tenant, filters, { limit, before: position }),
    countConsentDays(ctx, tenant, 30),
    readVerification(ctx, tenant),
  ]);
  return { records, next: toNext(next), filters, days, verification };
}

export const action = deeds({
  verify: deed(NOTHING_TO_SAY, async ({ ctx, tenant }) => ({
    isStarted: await startVerification(ctx, tenant),
  })),
});

export default function Consent() {
  const { days, verification, ...list } = useLoaderData<typeof loader>();
  return (
    <ScreenPage
      title={useWords(CONSENT_WORDS).title}
      nav={<ConsentSections />}
      actions={<ConsentExportButton />}
      isWide
    >
      <ConsentChartCard days={days} />
      <ConsentVerifyCard verification={verification} />
      <ConsentLogCard {...list} />
    </ScreenPage>
  );
}
