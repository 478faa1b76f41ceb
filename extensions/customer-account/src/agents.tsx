// The agents that may act for the customer, and their payment mandates.
import { useState } from "preact/hooks";
import { ConfirmButton } from "./confirm-button.tsx";
import { Problem } from "./loading.tsx";
import { dateOf, moneyOf, t, toast } from "./platform.ts";
import { call, type Agent, type Mandate } from "./service.ts";

/** Ends something at an address, and says so. */
function useRevoke(onChanged: () => Promise<void>) {
  const [busy, setBusy] = useState<string | null>(null);
  const [code, setCode] = useState<string | null>(null);
  const revoke = async (path: string, text: string) => {
    setBusy(path);
    const answer = await call("DELETE", path);
    setCode(answer.ok ? null : answer.code);
    if (answer.ok) {
      toast(text);
      await onChanged();
    }
    setBusy(null);
  };
  return { busy, code, revoke };
}

type AgentProps = { agents: Agent[]; onChanged(): Promise<void> };

export function AgentList({ agents, onChanged }: AgentProps) {
  const { busy, code, revoke } = useRevoke(onChanged);
  return (
    <s-section heading={t("agents.title")}>
      <s-paragraph color="subdued">
        {t(agents.length === 0 ? "agents.empty" : "agents.text")}
      </s-paragraph>
      <Problem code={code} />
      <s-stack gap="large">
        {agents.map((agent) => {
          const path = `/agents/${agent.id}`;
          const used = agent.last_used_at
            ? t("agents.used", { when: dateOf(agent.last_used_at) })
            : t("agents.unused");
          return (
            <s-stack key={agent.id} gap="small-200">
              <s-stack
                direction="inline"
                gap="small"
                alignItems="center"
                justifyContent="space-between"
              >
                <s-stack gap="none">
                  <s-text type="strong">{agent.client_name}</s-text>
                  <s-text type="small" color="subdued">
                    {[agent.host, t("agents.since", { when: dateOf(agent.created_at) }), used]
                      .filter(Boolean)
                      .join(" · ")}
                  </s-text>
                </s-stack>
                <ConfirmButton
                  id={`agent-${agent.id}`}
                  label={t("agents.revoke")}
                  accessibilityLabel={t("agents.revokeOf", { name: agent.client_name })}
                  heading={t("agents.confirm", { name: agent.client_name })}
                  confirm={t("agents.revoke")}
                  isBusy={busy === path}
                  onConfirm={() => void revoke(path, t("agents.revoked"))}
                >
                  <s-paragraph>{t("agents.confirmText")}</s-paragraph>
                </ConfirmButton>
              </s-stack>
              <Actions agent={agent} />
            </s-stack>
          );
        })}
      </s-stack>
    </s-section>
  );
}

const DEEDS = [
  "saw_profile",
  "saw_consent",
  "saw_tag",
  "saw_order",
  "saw_return",
  "saw_checkout",
  "saw_mandate",
  "changed_checkout",
  "changed_mandate",
  "changed_tag",
  "changed_profile",
  "changed_consent",
];

function Actions({ agent: { actions = [] } }: { agent: Agent }) {
  if (actions.length === 0) return null;
  const textOf = (what: string, changed: boolean) => {
    const key = `${changed ? "changed" : "saw"}_${what}`;
    return t(`agents.actions.${DEEDS.includes(key) ? key : "other"}`);
  };
  return (
    <s-details>
      <s-summary>{t("agents.did", { count: actions.length })}</s-summary>
      <s-unordered-list>
        {actions.map(({ what, changed, at }, index) => (
          <s-list-item key={index}>{`${textOf(what, changed)}, ${dateOf(at)}`}</s-list-item>
        ))}
      </s-unordered-list>
    </s-details>
  );
}

type MandateProps = { mandates: Mandate[]; agents: Agent[]; onChanged(): Promise<void> };

export function MandateList({ mandates, agents, onChanged }: MandateProps) {
  const { busy, code, revoke } = useRevoke(onChanged);
  return (
    <s-section heading={t("mandates.title")}>
      {mandates.length === 0 && <s-paragraph color="subdued">{t("mandates.empty")}</s-paragraph>}
      <Problem code={code} />
      <s-stack gap="large">
        {mandates.map((mandate) => {
          const path = `/mandates/${mandate.mandate_id}`;
          const max = moneyOf(mandate.max_amount, mandate.currency);
          return (
            <s-stack
              key={mandate.mandate_id}
              direction="inline"
              gap="small"
              alignItems="center"
              justifyContent="space-between"
            >
              <s-stack gap="none">
                <s-stack direction="inline" gap="small-200" alignItems="center">
                  <s-text type="strong">{max}</s-text>
                  <s-badge>{t(`mandates.status.${mandate.status}`)}</s-badge>
                </s-stack>
                <s-text type="small" color="subdued">
                  {detailsOf(mandate, agents)}
                </s-text>
              </s-stack>
              {mandate.status === "active" && (
                <ConfirmButton
                  id={`mandate-${mandate.mandate_id}`}
                  label={t("mandates.revoke")}
                  accessibilityLabel={t("mandates.revokeOf", { max })}
                  heading={t("mandates.confirm")}
                  confirm={t("mandates.revoke")}
                  isBusy={busy === path}
                  onConfirm={() => void revoke(path, t("mandates.revoked"))}
                >
                  <s-paragraph>{t("mandates.confirmText")}</s-paragraph>
                </ConfirmButton>
              )}
            </s-stack>
          );
        })}
      </s-stack>
    </s-section>
  );
}

function detailsOf(mandate: Mandate, agents: Agent[]): string {
  const { max_amount: max, spent_amount: spent, currency, scope, usage } = mandate;
  const [kind = "all", name = ""] = scope.split(":");
  const named = mandate.agent_clients?.map(
    (id) => agents.find(({ client_id: client }) => client === id)?.client_name ?? id,
  );
  return [
    t("mandates.spent", { spent: moneyOf(spent, currency), max: moneyOf(max, currency) }),
    t(`mandates.scope.${/^(all|collection|product)$/.test(kind) ? kind : "all"}`, { name }),
    t(`mandates.usage.${usage}`),
    named ? t("mandates.for", { agents: named.join(", ") }) : t("mandates.forAny"),
    t("mandates.until", { when: dateOf(mandate.expires_at) }),
  ].join(" · ");
}
