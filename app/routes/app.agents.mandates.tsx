// What shoppers let agents spend, and revoking it.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AgentSections } from "../components/agents/agent-sections.tsx";
import { AGENT_WORDS } from "../components/agents/agent-words.ts";
import { MandatesCard } from "../components/agents/mandates-card.tsx";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { listStoreMandates, MandateFilters } from "../domain/agents/mandate-list.ts";
import { revokeMandate } from "../domain/commerce/mandates.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { readKeyedScreenPage } from "../http/screen-page.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await readKeyedScreenPage(
    args,
    "mandates",
    MandateFilters,
  );
  const { mandates, next } = await listStoreMandates(ctx, tenant, filters, {
    limit,
    after: position,
  });
  return { mandates, next: toNext(next), filters };
}

export const action = deeds({
  revoke: deed(
    z.object({ mandate_id: z.string().max(100) }),
    async ({ ctx, tenant }, { mandate_id: id }) => ({
      status: (await revokeMandate(ctx, tenant, null, id)).status,
    }),
  ),
});

export default function Mandates() {
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(AGENT_WORDS).mandates} nav={<AgentSections />} isWide>
      <MandatesCard {...list} />
    </ScreenPage>
  );
}
