// The five phases in which a store moves to the event bus (SPEC "Versioning"), each including the
// earlier ones. A store without a phase has everything enabled, with webhooks at their own paths.
import type { Tenant } from "./tenant.ts";

const BUS_PHASES = [
  {
    phase: 1,
    name: "ingest and deliver exist beside the webhooks",
    webhooksToBus: false,
    isArchiveOnly: true,
    isSafetyNetOnly: false,
  },
  {
    phase: 2,
    name: "the storefront's webhooks go to the ingest; their old addresses stay",
    webhooksToBus: true,
    isArchiveOnly: true,
    isSafetyNetOnly: false,
  },
  {
    phase: 3,
    name: "the queue works, and delivers to the archive alone",
    webhooksToBus: true,
    isArchiveOnly: true,
    isSafetyNetOnly: false,
  },
  {
    phase: 4,
    name: "the store's enabled channels are delivered to",
    webhooksToBus: true,
    isArchiveOnly: false,
    isSafetyNetOnly: false,
  },
  {
    phase: 5,
    name: "the schedule keeps tokens, dead letters and missed customers alone",
    webhooksToBus: true,
    isArchiveOnly: false,
    isSafetyNetOnly: true,
  },
] as const;

export type BusFlags = { webhooksToBus: boolean; isArchiveOnly: boolean; isSafetyNetOnly: boolean };

export function busFlags({ config }: Pick<Tenant, "config">): BusFlags {
  return (
    BUS_PHASES.find(({ phase }) => phase === config.event_bus_phase) ?? {
      webhooksToBus: false,
      isArchiveOnly: false,
      isSafetyNetOnly: false,
    }
  );
}

export const BUS_PATH = "/events/ingest?source=storefront";

/** The path of a topic's webhooks: its own, or the bus for a store that moved there. */
export const webhookPath = (tenant: Pick<Tenant, "config">, slug: string): string =>
  busFlags(tenant).webhooksToBus ? BUS_PATH : `/webhooks/${slug}`;
