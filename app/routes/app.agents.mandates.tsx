// The shoppers' mandates for agents, and their revocation.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AgentSections } from "../components/agents/agent-sections.tsx";
import { MandatesCard } from "../components/agents/mandates-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { listStoreMandates, MandateFilters } from "../domain/agents/mandate-list.ts";
import { revokeMandate } from "../domain/commerce/mandates.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { readKeyedScreenPage } from "../http/screens/screen-page.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["agents"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess, filters, limit, position, toNext } = await readKeyedScreenPage(
    args,
    "mandates",
    MandateFilters,
  );
  const reader = await forReading(ctx, tenant);
  const { mandates, next } = await listStoreMandates(reader, tenant, filters, {
    limit,
    after: position,
  });
  await recordAccess({ action: "listed", count: mandates.length });
  return { mandates, next: toNext(next), filters };
}

export const action = defineActions({
  revoke: {
    input: z.object({ mandate_id: z.string().max(100) }),
    async run({ ctx, tenant, recordAccess }, { mandate_id: id }) {
      const { status, customer_id: userId } = await revokeMandate(ctx, tenant, null, id);
      await recordAccess({ action: "changed", userIds: [userId] });
      return { status };
    },
  },
});

export default function Mandates() {
  const { t } = useTranslation("agents");
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("mandates")} nav={<AgentSections />}>
      <MandatesCard {...list} />
    </ScreenPage>
  );
}
