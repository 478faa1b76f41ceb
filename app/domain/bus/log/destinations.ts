// A store's destinations for its operator, and whether a destination responds.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import { saveTenantConfig } from "../../tenants/settings/configuration.ts";
import { versionOf } from "../../tenants/settings/field-versions.ts";
import { withTenant, type Tenant } from "../../tenants/tenant.ts";
import { findChannel, PermanentFailure } from "../channel.ts";

export type Destinations = {
  event_routes: NonNullable<Tenant["config"]["event_routes"]>;
  /** Null: every configured channel. */
  enabled_channels: string[] | null;
  channels: {
    name: string;
    enabled: boolean;
    marketing: boolean;
    requires_consent: string | null;
    can_be_tested: boolean;
  }[];
};

export function showDestinations(ctx: Ctx, tenant: Tenant): Destinations {
  return {
    event_routes: tenant.config.event_routes ?? [],
    enabled_channels: tenant.config.enabled_channels ?? null,
    channels: ctx.channels
      .filter(({ isDestination }) => isDestination)
      .map((channel) => ({
        name: channel.name,
        enabled: channel.isEnabled(tenant),
        marketing: channel.marketing,
        requires_consent: channel.requiresConsent,
        can_be_tested: channel.probe !== undefined,
      })),
  };
}

const FIELDS = ["event_routes", "enabled_channels"] as const;

/** `version`: of each field that the form changes (settings/field-versions.ts). */
export type DestinationsView = Destinations & {
  version: Record<(typeof FIELDS)[number], string>;
};

export const readDestinations = (ctx: Ctx, tenant: Tenant): DestinationsView => ({
  ...showDestinations(ctx, tenant),
  version: {
    event_routes: versionOf(ctx, tenant, "event_routes"),
    enabled_channels: versionOf(ctx, tenant, "enabled_channels"),
  },
});

/** Validated by the tenant's own table of fields, as PUT /admin/destinations is. */
export const SavedDestinations = z.object({
  event_routes: z.array(z.unknown()),
  enabled_channels: z.array(z.unknown()).nullable(),
  version: z.record(z.enum(FIELDS), z.string().max(40)),
});

/** Saves the destinations, unless somebody else did meanwhile (`conflict`). */
export async function saveDestinations(
  ctx: Ctx,
  { shop }: Tenant,
  { version, ...fields }: z.output<typeof SavedDestinations>,
): Promise<void> {
  await withTenant(ctx, shop, () =>
    saveTenantConfig(ctx, shop, fields, { by: "store", seen: version }),
  );
}

export type ProbeResult = {
  ok: boolean;
  channel: string;
  http_status: number | null;
  latency_ms: number;
  error: string | null;
};

/**
 * Calls the destination once, outside the queue; the circuit and the log do not change. Throws
 * `not_found` for a channel without a test.
 */
export async function probeDestination(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
): Promise<ProbeResult> {
  const channel = findChannel(ctx, name);
  if (!channel?.probe || !channel.isDestination)
    throw new AppError("not_found", {
      message: "There is no such destination, or none that can be tested.",
    });
  const started = performance.now();
  const toResult = ({
    ok,
    http_status,
    error,
  }: Pick<ProbeResult, "ok" | "http_status" | "error">): ProbeResult => ({
    ok,
    channel: name,
    http_status,
    latency_ms: Math.round(performance.now() - started),
    error,
  });
  try {
    const { httpStatus, skipped = null } = await channel.probe(ctx, tenant);
    return toResult({ ok: true, http_status: httpStatus, error: skipped });
  } catch (error) {
    if (!(error instanceof OutboundError) && !(error instanceof PermanentFailure)) throw error;
    const http_status = error instanceof OutboundError ? (error.status ?? null) : null;
    return toResult({ ok: false, http_status, error: error.message });
  }
}
