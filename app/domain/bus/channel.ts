// What a channel of the bus is, and which of them a store has.
import type { Ctx } from "../../context.server.ts";
import { takesRows, type MatrixEvent } from "../inventory/write-matrix.ts";
import type { TenantFieldName } from "../tenants/tenant-config.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { OWN_FAILURES } from "./log/own-failures.ts";

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
  /** The archive path contains the day of arrival. */
  createdAt: Date;
  /** The time by the source's clock. */
  occurredAt: Date;
  /**
   * True for an unknown destination and for one that the store has not enabled: the message is
   * archived and not sent.
   */
  isArchiveOnly: boolean;
  /** Fence token: a worker that lost its lease cannot settle the row. */
  attemptToken: string;
  /** The W3C `traceparent` of the cause; null while no traces are collected. */
  traceParent: string | null;
};

/**
 * SPEC "Delivery message" without the fields of the queue row. `credentials_key` names a secret and
 * never contains one.
 */
export type DeliveryMessage = {
  transformed_payload: Record<string, unknown>;
  delivery_config: { method: string; endpoint: string; credentials_key: string | null };
  /** A remote backend made this message. It is delivered unchanged (DECISIONS 12). */
  isMadeElsewhere?: true;
};

export const ARCHIVE_CHANNEL = "archive";
/** The built-in backend's own work, or the call of a remote backend. */
export const BACKEND_CHANNEL = "backend";

/** The method of a message that is archived and not sent. */
export const ARCHIVE_METHOD = "ARCHIVE";
/** The method of an empty message: its subject was deleted, or nothing changed. */
export const NO_METHOD = "NONE";

/** `skipped`: nothing was delivered, and the log contains this reason. */
export type DeliveryResult = { httpStatus: number | null; skipped?: string };

/** All that the service knows of a channel. The channels themselves are in domain/channels. */
export type Channel = {
  name: string;
  /** The service's own: always enabled, without settings, and no system of the store. */
  isInternal?: true;
  /** The settings without which it delivers nothing. The screens name the missing ones. */
  needs: readonly TenantFieldName[];
  /** The channel needs the app's access token of the store. */
  needsStoreAccess?: true;
  /** The tenant field that holds this channel's secret. */
  credentialsKey: string | null;
  /** Marketing channels never receive warehouse events. */
  marketing: boolean;
  /** SPEC gives its records an email address. No other marketing channel takes one in the clear. */
  takesAddresses?: true;
  /**
   * The consent scope that a delivery requires. Without it the row becomes a dead letter that the
   * sweep never retries.
   */
  requiresConsent: string | null;
  isEnabled(tenant: Tenant): boolean;
  /** Whether the channel is disabled for a time only. Its rows are still enqueued, and wait until it is enabled again. */
  isAwaited?(tenant: Tenant): boolean;
  /**
   * Whether events from outside may name this channel. The others carry only changes made by the
   * service itself.
   */
  isDestination: boolean;
  /** It reads the customer: its rows of a storefront webhook wait until the webhook is applied. */
  waitsForWebhook?: true;
  /** Events of the write matrix that it receives although SPEC's matrix has no column for it. */
  alsoReceives?: readonly MatrixEvent[];
  /**
   * Reads the current state and builds the message. Throws PermanentFailure when a retry cannot
   * succeed.
   */
  transform(ctx: Ctx, tenant: Tenant, item: QueueItem): Promise<DeliveryMessage>;
  /** One attempt. Throws OutboundError, PermanentFailure or Deferred. */
  deliver(
    ctx: Ctx,
    tenant: Tenant,
    item: QueueItem,
    message: DeliveryMessage,
  ): Promise<DeliveryResult>;
  /** False: what was sent and answered is not kept. True without it. */
  isRecorded?(item: QueueItem): boolean;
  /** A read-only call that verifies the address and the credentials. Throws like `deliver`. */
  probe?(ctx: Ctx, tenant: Tenant): Promise<DeliveryResult>;
};

/** A retry cannot succeed: the row becomes a dead letter with this reason at once. */
export class PermanentFailure extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "PermanentFailure";
  }
}

/**
 * The customer did not consent: the row becomes a dead letter that is never retried automatically.
 */
export class ConsentMissing extends PermanentFailure {
  constructor(scope: string) {
    super(OWN_FAILURES.consentMissing.text(scope));
    this.name = "ConsentMissing";
  }
}

/** The delivery cannot run yet. It is retried after `delayMs` and does not count as an attempt. */
export class Deferred extends Error {
  readonly delayMs: number;
  constructor(reason: string, delayMs: number) {
    super(reason);
    this.name = "Deferred";
    this.delayMs = delayMs;
  }
}

/** Whether the settings that the channel needs are there. */
export const isConfigured = ({ config }: Tenant, { needs }: Pick<Channel, "needs">): boolean =>
  needs.every((name) => Boolean(config[name]));

/** The tenant's own list decides. Without a list, every configured channel is enabled. */
export const isListedOrConfigured = (
  tenant: Tenant,
  channel: Pick<Channel, "name" | "needs">,
): boolean =>
  tenant.config.enabled_channels?.includes(channel.name) ?? isConfigured(tenant, channel);

/** Shopify Flow. */
export const FLOW_CHANNEL = "flow";

/** Where changes go that start a workflow of the store; empty unless the store switched it on. */
export const flowChannels = (ctx: Ctx, tenant: Tenant): string[] =>
  keepEnabled(ctx, tenant, [FLOW_CHANNEL]);

export function findChannel(ctx: Ctx, name: string): Channel | undefined {
  return ctx.channels.find((channel) => channel.name === name);
}

/** The systems outside, in the order of the list of channels. */
export const outsideChannels = (ctx: Ctx): Channel[] =>
  ctx.channels.filter(({ isInternal }) => !isInternal);

export const internalChannelNames = (ctx: Ctx): string[] =>
  ctx.channels.filter(({ isInternal }) => isInternal).map(({ name }) => name);

/** Whether the store delivers to the channel; false for an unknown name. */
export const isChannelEnabled = (ctx: Ctx, tenant: Tenant, name: string): boolean =>
  findChannel(ctx, name)?.isEnabled(tenant) ?? false;

/** Those of the channels that the store delivers to, now or once they are enabled again. */
export const keepEnabled = (ctx: Ctx, tenant: Tenant, names: readonly string[]): string[] =>
  names.filter((name) => {
    const channel = findChannel(ctx, name);
    return channel !== undefined && takesRows(tenant, channel);
  });
