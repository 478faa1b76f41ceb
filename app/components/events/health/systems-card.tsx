// The systems that are set up, each with its state, its numbers and its last problem.
import { useTranslation } from "react-i18next";
import { BlockStack, Box, Card, IndexTable, Link, Text } from "@shopify/polaris";
import type { CmsSyncRun } from "../../../domain/channels/cms/sync-run.ts";
import type { SystemHealth } from "../../../domain/channels/delivery-health.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { useChannelName } from "../../i18n/channel-names.ts";
import { formatMs, formatSeconds } from "../../i18n/format-duration.ts";
import { formatCount, formatRate } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { WrappingText } from "../../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../../ui/responsive-rows.tsx";
import { CmsSync } from "../cms-sync.tsx";
import { DestinationTest } from "./destination-test.tsx";
import { SystemState } from "./system-state.tsx";
import { useCapped } from "./use-capped.ts";

const NONE = "–";

type Props = { systems: readonly SystemHealth[]; cmsSync: CmsSyncRun | null };

export function SystemsCard({ systems, cmsSync }: Props) {
  const { t } = useTranslation("events");
  const columns = ["name", "success", "p95", "attempts", "waiting", "dead"] as const;
  return (
    <Card padding="0">
      <Box padding="400">
        <CardHeading title={t("systems.title")} />
      </Box>
      {systems.length === 0 ? (
        <Box padding="400" paddingBlockStart="0">
          <Text as="p">{t("systems.none")}</Text>
        </Box>
      ) : (
        <ResponsiveRows>
          <IndexTable
            selectable={false}
            itemCount={systems.length}
            resourceName={{ singular: t("systems.title"), plural: t("systems.title") }}
            headings={[
              { title: t(`systems.${columns[0]}`) },
              ...columns.slice(1).map((name) => ({ title: t(`systems.${name}`) })),
            ]}
          >
            {systems.map((system, position) => (
              <Row key={system.name} system={system} position={position} cmsSync={cmsSync} />
            ))}
          </IndexTable>
        </ResponsiveRows>
      )}
    </Card>
  );
}

function Row({
  system,
  position,
  cmsSync,
}: {
  system: SystemHealth;
  position: number;
  cmsSync: CmsSyncRun | null;
}) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const capped = useCapped();
  const label = useChannelName()(system.name);
  const { delivered, failed, skipped, success, p95 } = system;
  const counts = (["delivered", "failed", "skipped"] as const)
    .map((name) => `${t(name)} ${formatCount(locale, { delivered, failed, skipped }[name])}`)
    .join(", ");
  return (
    <IndexTable.Row id={system.name} position={position}>
      <RowCell>
        <SystemState system={system} label={label}>
          {system.can_be_tested && <DestinationTest name={system.name} label={label} />}
          {system.name === "cms" && <CmsSync known={cmsSync} />}
        </SystemState>
      </RowCell>
      <RowCell label={t("systems.success")}>
        {success === null ? NONE : formatRate(locale, success)}
      </RowCell>
      <RowCell label={t("systems.p95")}>{p95 === null ? NONE : formatMs(locale, p95)}</RowCell>
      <RowCell label={t("systems.attempts")}>
        <BlockStack>
          <Sparkline
            label={t("systems.trend", { name: label })}
            values={system.attempts}
            width={110}
          />
          <WrappingText>
            <Text as="span" variant="bodySm" tone="subdued">
              {counts}
            </Text>
          </WrappingText>
        </BlockStack>
      </RowCell>
      <RowCell label={t("systems.waiting")}>
        {capped(system.waiting)}
        {system.oldest_waiting_seconds !== null && (
          <Text as="p" variant="bodySm" tone="subdued">
            {t("systems.since", { time: formatSeconds(locale, system.oldest_waiting_seconds) })}
          </Text>
        )}
      </RowCell>
      <RowCell label={t("systems.dead")}>
        {system.dead === 0 ? (
          capped(0)
        ) : (
          <Link url={`/app/events/dead-letters?channel=${encodeURIComponent(system.name)}`}>
            {t("deadCount", { total: capped(system.dead) })}
          </Link>
        )}
      </RowCell>
    </IndexTable.Row>
  );
}
