// The overview of Events: how the store's systems take their deliveries. It stays current while it is
// open.
import { useRevalidator } from "@remix-run/react";
import { PageGutter } from "../../ui/layout.tsx";
import type { CmsSyncRun } from "../../../domain/channels/cms/sync-run.ts";
import type { DeliveryHealth } from "../../../domain/channels/delivery-health.ts";
import { usePolling } from "../../hooks/use-polling.ts";
import { AvailableCard } from "./available-card.tsx";
import { NumbersCard } from "./numbers-card.tsx";
import { PeriodChoice } from "./period-choice.tsx";
import { SystemsCard } from "./systems-card.tsx";
import { ThroughputCard } from "./throughput-card.tsx";

const LOOK_EVERY_MS = 10_000;

type Props = { health: DeliveryHealth; cmsSync: CmsSyncRun | null };

export function DeliveryOverview({ health, cmsSync }: Props) {
  const { revalidate, state } = useRevalidator();
  usePolling(state === "idle", revalidate, LOOK_EVERY_MS);
  return (
    <>
      <PageGutter>
        <PeriodChoice period={health.period} />
      </PageGutter>
      <NumbersCard totals={health.totals} />
      <SystemsCard systems={health.systems} cmsSync={cmsSync} />
      <ThroughputCard steps={health.steps} period={health.period} />
      {health.available.length > 0 && <AvailableCard available={health.available} />}
    </>
  );
}
