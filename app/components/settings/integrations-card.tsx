// The systems that the store connects, with the state of each.
import { useTranslation } from "react-i18next";
import { Badge, Card } from "@shopify/polaris";
import type { IntegrationList, IntegrationState } from "../../domain/merchant/integrations.ts";
import { SettingsRow } from "./settings-row.tsx";

export function IntegrationsCard({ integrations, destinations }: IntegrationList) {
  const { t } = useTranslation("settings");
  return (
    <Card padding="0">
      <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {integrations.map(({ name, path, state }, at) => (
          <SettingsRow
            key={name}
            to={path}
            isFirst={at === 0}
            title={t(`cards.${name}.title`)}
            text={t(`cards.${name}.text`)}
          >
            <IntegrationBadge state={state} />
          </SettingsRow>
        ))}
        {destinations && (
          <SettingsRow
            to={destinations}
            isFirst={false}
            title={t("cards.destinations.title")}
            text={t("cards.destinations.text")}
          />
        )}
      </ul>
    </Card>
  );
}

const TONES = { connected: "success", attention: "attention", none: undefined } as const;

export function IntegrationBadge({ state }: Pick<IntegrationState, "state">) {
  const { t } = useTranslation("settings");
  const tone = TONES[state];
  return <Badge {...(tone && { tone })}>{t(`integration.states.${state}`)}</Badge>;
}
