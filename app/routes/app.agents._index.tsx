// The linked agents of shoppers, what agents may do at all, and the discovery documents.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AgentSections } from "../components/agents/agent-sections.tsx";
import { DiscoveryCard } from "../components/agents/discovery-card.tsx";
import { AgentSwitchesCard } from "../components/agents/agent-switches-card.tsx";
import { LinkedAgentsCard } from "../components/agents/linked-agents-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { endAgent, listStoreAgents } from "../domain/agents/linked-agents.ts";
import { discoveryAddresses } from "../domain/agents/public-address.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
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
  const { ctx, tenant } = await authenticate.admin(args);
  const { agent_access_enabled: access, agent_payments_enabled: payments } = tenant.config;
  return {
    ...(await listStoreAgents(ctx, tenant)),
    switches: { access, payments },
    discovery: discoveryAddresses(ctx.baseUrl, tenant),
  };
}

export const action = defineActions({
  end: {
    input: z.object({ client_id: z.string().min(1).max(500) }),
    run: ({ ctx, tenant }, { client_id: id }) => endAgent(ctx, tenant, id),
  },
});

export default function Agents() {
  const { t } = useTranslation("agents");
  const { agents, isCut, switches, discovery } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("title")} nav={<AgentSections />}>
      <AgentSwitchesCard {...switches} />
      <LinkedAgentsCard agents={agents} isCut={isCut} manifestUrl={discovery.manifest} />
      <DiscoveryCard discovery={discovery} />
    </ScreenPage>
  );
}
