// What AI agents may do: the two switches for all of them.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { KillSwitchCard } from "../components/agents/kill-switch-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { AgentSwitch, setAgentAccess } from "../domain/agents/agent-kill-switch.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings", "agents"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { tenant } = await authenticate.admin(args);
  const { agent_access_enabled: access, agent_payments_enabled: payments } = tenant.config;
  return { access, payments };
}

export const action = defineActions({
  switch: {
    input: AgentSwitch,
    async run({ ctx, tenant }, input) {
      await setAgentAccess(ctx, tenant, input);
      return { is_on: input.is_on };
    },
  },
});

export default function AgentSettings() {
  const isOn = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage title={t("pages.agents.title")} back={{ content: t("title"), to: "/app/settings" }}>
      {(["access", "payments"] as const).map((name) => (
        <KillSwitchCard key={name} name={name} isOn={isOn[name]} />
      ))}
    </ScreenPage>
  );
}
