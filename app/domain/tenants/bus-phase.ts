// The five phases in which a store moves to the event bus (SPEC "Versioning"), each including the
// earlier ones. A store without a phase has everything enabled, with webhooks at their own paths.
import type { Tenant } from "./tenant.ts";

export type BusFlags = {
  areWebhooksOnBus: boolean;
  isArchiveOnly: boolean;
  isSafetyNetOnly: boolean;
};

const NO_PHASE: BusFlags = {
  areWebhooksOnBus: false,
  isArchiveOnly: false,
  isSafetyNetOnly: false,
};

const BUS_PHASES: Record<1 | 2 | 3 | 4 | 5, BusFlags> = {
  // Ingest and delivery exist beside the webhooks.
  1: { areWebhooksOnBus: false, isArchiveOnly: true, isSafetyNetOnly: false },
  // The storefront's webhooks go to the ingest; their old addresses stay.
  2: { areWebhooksOnBus: true, isArchiveOnly: true, isSafetyNetOnly: false },
  // The queue works, and delivers to the archive alone.
  3: { areWebhooksOnBus: true, isArchiveOnly: true, isSafetyNetOnly: false },
  // The store's enabled channels are delivered to.
  4: { areWebhooksOnBus: true, isArchiveOnly: false, isSafetyNetOnly: false },
  // The schedule keeps tokens, dead letters and missed customers alone.
  5: { areWebhooksOnBus: true, isArchiveOnly: false, isSafetyNetOnly: true },
};

const isPhase = (value: unknown): value is keyof typeof BUS_PHASES =>
  typeof value === "number" && Object.hasOwn(BUS_PHASES, value);

export function busFlags({ config }: Pick<Tenant, "config">): BusFlags {
  const phase = config.event_bus_phase;
  return isPhase(phase) ? BUS_PHASES[phase] : NO_PHASE;
}

export const BUS_PATH = "/events/ingest?source=storefront";

/** The path of a topic's webhooks: its own, or the bus for a store that moved there. */
export const webhookPath = (tenant: Pick<Tenant, "config">, slug: string): string =>
  busFlags(tenant).areWebhooksOnBus ? BUS_PATH : `/webhooks/${slug}`;
