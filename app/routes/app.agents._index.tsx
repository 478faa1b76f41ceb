// The agents that shoppers let in, the switches over all of them, and what agents find.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AgentSections } from "../components/agents/agent-sections.tsx";
import { AGENT_WORDS } from "../components/agents/agent-words.ts";
import { DiscoveryCard } from "../components/agents/discovery-card.tsx";
import { KillSwitchCard } from "../components/agents/kill-switch-card.tsx";
import { LinkedAgentsCard } from "../components/agents/linked-agents-card.tsx";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { AgentSwitch, turnAgents } from "../domain/agents/agent-switches.ts";
import { endAgent, listLinkedAgents } from "../domain/agents/linked-agents.ts";
import { discoveryAddresses } from "../domain/agents/public-address.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const { agent_access_enabled: access, agent_payments_enabled: payments } = tenant.config;
  return {
    ...(await listLinkedAgents(ctx, tenant)),
    switches: { access, payments },
    discovery: discoveryAddresses(ctx.baseUrl, tenant),
  };
}

export const action = deeds({
  switch: deed(AgentSwitch, ({ ctx, tenant }, input) => turnAgents(ctx, tenant, input)),
  end: deed(
    z.object({ client_id: z.string().min(1).max(500) }),
    ({ ctx, tenant }, { client_id: id }) => endAgent(ctx, tenant, id),
  ),
});

export default function Agents() {
  const { agents, isCut, switches, discovery } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(AGENT_WORDS).title} nav={<AgentSections />} isWide>
      {(["access", "payments"] as const).map((name) => (
        <KillSwitchCard key={name} name={name} isOn={switches[name]} />
      ))}
      <LinkedAgentsCard agents={agents} isCut={isCut} manifestUrl={discovery.manifest} />
      <DiscoveryCard discovery={discovery} />
    </ScreenPage>
  );
}
