// What the bus knows of a channel. The channels themselves are values in domain/channels.
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../tenants/tenant.ts";

/** A claimed queue row. */
export type QueueItem = {
  shop: string;
  queueId: number;
  eventId: string;
  channel: string;
  source: string;
  eventType: string;
  entityType: string;
  entityId: string;
  payload: Record<string, unknown>;
  priority: number;
  retryCount: number;
  maxRetries: number;
  /** The archive files what belongs to an event under the day it came. */
  createdAt: Date;
  /** By its source's clock. */
  occurredAt: Date;
  /** Nothing is called for it: an unknown destination, or one that the store has not enabled. */
  isArchiveOnly: boolean;
  /** Fence: a worker that lost its lease cannot settle. */
  attemptToken: string;
};

/** SPEC "Delivery message" without what the row already says. `credentials_key` names a secret and never is one. */
export type DeliveryMessage = {
  transformed_payload: Record<string, unknown>;
  delivery_config: { method: string; endpoint: string; credentials_key: string | null };
  /** A remote backend made it: delivered as it is, whatever we would have made (DECISIONS 12). */
  isMadeElsewhere?: true;
};

export const ARCHIVE_CHANNEL = "archive";
/** The built-in backend's own work, or the way to a remote one. */
export const BACKEND_CHANNEL = "backend";

/** The method of a message that is filed and sent nowhere. */
export const ARCHIVE_METHOD = "ARCHIVE";
/** The method of a message about nothing: its subject is gone, or nothing changed. */
export const NO_METHOD = "NONE";

/** `skipped`: delivering would change nothing or is not wanted, and the reason stands in the log. */
export type DeliveryResult = { httpStatus: number | null; skipped?: string };

export type Channel = {
  name: string;
  /** The tenant field that holds this channel's secret. */
  credentialsKey: string | null;
  /** Marketing channels never get warehouse events. */
  marketing: boolean;
  /** The consent scope without which nothing is delivered; a refusal is a dead letter that is never swept. */
  requiresConsent: string | null;
  isEnabled(tenant: Tenant): boolean;
  /** Whether events from outside may be sent here; the others carry only what the service itself causes. */
  isDestination: boolean;
  /** Reads the newest state and builds the message. Throws PermanentFailure for what no retry can heal. */
  transform(ctx: Ctx, item: QueueItem, tenant: Tenant): Promise<DeliveryMessage>;
  /** One attempt. Throws OutboundError, PermanentFailure or Deferred. */
  deliver(
    ctx: Ctx,
    item: QueueItem,
    message: DeliveryMessage,
    tenant: Tenant,
  ): Promise<DeliveryResult>;
  /** A call that changes nothing there and shows whether address and credentials are right. Throws like `deliver`. */
  probe?(ctx: Ctx, tenant: Tenant): Promise<DeliveryResult>;
};

/** No retry can heal it: the item goes straight to the dead letters, with this reason. */
export class PermanentFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "PermanentFailure";
  }
}

/** The person did not consent: a dead letter with its reason, which nobody repeats by itself. */
export class ConsentMissing extends PermanentFailure {
  constructor(scope: string) {
    super(`consent_missing: ${scope}`);
    this.name = "ConsentMissing";
  }
}

/** Not now, and nobody's fault: tried again after `delayMs` without using up a retry. */
export class Deferred extends Error {
  readonly delayMs: number;
  constructor(reason: string, delayMs: number) {
    super(reason);
    this.name = "Deferred";
    this.delayMs = delayMs;
  }
}

/** A tenant's own list decides; without one, every channel whose settings are there. */
export function isChannelEnabled(tenant: Tenant, name: string, isConfigured: boolean): boolean {
  return tenant.config.enabled_channels?.includes(name) ?? isConfigured;
}

export function findChannel(ctx: Ctx, name: string): Channel | undefined {
  return ctx.channels.find((channel) => channel.name === name);
}
