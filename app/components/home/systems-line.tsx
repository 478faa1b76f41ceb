import { useTranslation } from "react-i18next";
import { Badge, InlineStack, Link, Text } from "@shopify/polaris";
import type { SystemsLine as Systems } from "../../domain/merchant/home/store-overview.ts";
import { useChannelName } from "../i18n/channel-names.ts";

/** The state of the connected systems in one line. */
export function SystemsLine({ systems }: { systems: Systems | null }) {
  const { t } = useTranslation("home");
  const nameOf = useChannelName();
  if (!systems)
    return (
      <Text as="p" tone="subdued">
        {t("systems.waiting")}
      </Text>
    );
  const { total, isIdle, unhealthy } = systems;
  const link = (text: string) => (
    <Link url="/app/events" monochrome>
      {text}
    </Link>
  );
  if (total === 0) return link(t("systems.none"));
  if (isIdle) return link(t("systems.idle"));
  if (unhealthy.length === 0) return link(t("systems.healthy", { count: total }));
  return (
    <InlineStack gap="300">
      {link(t("systems.unhealthy", { count: unhealthy.length, total }))}
      {unhealthy.map(({ name, state }) => (
        <InlineStack key={name} gap="100" blockAlign="center">
          <Text as="span">{nameOf(name)}</Text>
          <Badge tone={state === "paused" ? "critical" : "warning"}>{t(`systems.${state}`)}</Badge>
        </InlineStack>
      ))}
    </InlineStack>
  );
}
