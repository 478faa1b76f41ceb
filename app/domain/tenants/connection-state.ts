// The connection part of the app's home page. Each part is read separately and reports its own failure.
import type { Ctx } from "../../context.server.ts";
import type { Columns, Kv } from "../../db.server.ts";
import { isAppError, OutboundError } from "../../runtime/errors.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { inTime, LATE_PART_MS } from "../../runtime/deadlines/in-time.ts";
import { readTogether, type Read } from "../../runtime/database/read-together.ts";
import { isConnected, tokenState } from "./store-access.ts";
import { webhookPath } from "./bus-phase.ts";
import { dataOf, findTenant, type RefusedWebhook, type Tenant } from "./tenant.ts";
import {
  listSubscriptions,
  registerWebhooks,
  registrationRequests,
} from "./storefront/webhook-registration.ts";
import { API_TOPICS } from "./storefront/webhook-topics.ts";

type TokenPart = {
  state: "none" | "valid" | "reauth_required" | "unknown";
  /** ISO 8601; null for a token that does not expire. */
  expiresAt: string | null;
  isRenewed: boolean;
};
/** `granted` is null when the token was entered by hand: its scopes are unknown. */
type ScopesPart = { granted: string[] | null; missing: string[] };
export type WebhooksPart =
  | {
      state: "known";
      registered: number;
      total: number;
      missing: string[];
      /** The missing topics that the platform rejected, if any. */
      refused?: RefusedWebhook[];
    }
  | { state: "not_connected" }
  /** The worker registers them for a store that was just connected. */
  | { state: "registering" }
  | { state: "unknown"; reason: string };
export type ChannelState =
  | { name: string; state: "on" }
  | { name: string; state: "off" }
  | { name: string; state: "paused"; until: string };
export type ChannelsPart =
  { state: "known"; list: ChannelState[] } | { state: "unknown"; reason: string };

export type ConnectionState = {
  shop: string;
  token: TokenPart;
  scopes: ScopesPart;
  /** The customer data that the platform withholds from the app, by its own names. */
  withheld?: { /** ISO 8601. */ since: string; names: string[] };
  channels: ChannelsPart;
};

const UNKNOWN = "This could not be checked. It has been logged on our side.";
/** After this time a registration that goes on is shown as what is missing. */
const REGISTRATION_SECONDS = 60;

/** `known`: the store, where the caller has it. */
export async function readConnectionState(
  ctx: Ctx,
  shop: string,
  known?: Tenant | null,
): Promise<ConnectionState> {
  const tenant = known === undefined ? await findTenantOrNull(ctx, shop) : known;
  return toConnectionState(ctx, shop, tenant, await readChannels(ctx, tenant));
}

/** `tenant`: undefined when the record cannot be read, null when there is none. */
export function toConnectionState(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null | undefined,
  channels: ChannelsPart,
): ConnectionState {
  const withheld = tenant?.connection.withheld_data;
  return {
    shop,
    token: toTokenPart(tenant),
    scopes: toScopesPart(ctx, tenant ?? null),
    ...(withheld && {
      withheld: { since: withheld.since, names: withheld.parts.map(({ name }) => name) },
    }),
    channels,
  };
}

/** Calls the platform, so it is deferred; never rejects. `known`: the store, where the caller has it. */
export async function readWebhooksState(
  ctx: Ctx,
  shop: string,
  known?: Tenant | null,
): Promise<WebhooksPart> {
  return inTime<WebhooksPart>(readWebhooks(ctx, shop, known), LATE_PART_MS, () => ({
    state: "unknown",
    reason: "The store admin did not answer in time.",
  }));
}

/** Undefined when the record cannot be read, null when there is none. */
async function findTenantOrNull(ctx: Ctx, shop: string): Promise<Tenant | null | undefined> {
  try {
    return await findTenant(ctx, shop);
  } catch (error) {
    ctx.log.error("connection_state.unknown", error, { shop, part: "token" });
    return undefined;
  }
}

function toTokenPart(tenant: Tenant | null | undefined): TokenPart {
  if (tenant === undefined) return { state: "unknown", expiresAt: null, isRenewed: false };
  if (tenant === null) return { state: "none", expiresAt: null, isRenewed: false };
  const { storefront_token_expires_at: expiresAt, storefront_refresh_token: refreshToken } =
    tenant.config;
  return {
    state: tokenState(tenant),
    expiresAt: expiresAt ?? null,
    isRenewed: refreshToken !== undefined,
  };
}

function toScopesPart(ctx: Ctx, tenant: Tenant | null): ScopesPart {
  const granted = tenant?.connection.granted_scopes ?? null;
  return {
    granted,
    missing:
      granted === null ? [] : ctx.config.SCOPES.filter((scope) => !isGranted(scope, granted)),
  };
}

/** The platform lists only the wider scope of a pair: write includes read. */
function isGranted(scope: string, granted: readonly string[]): boolean {
  return granted.includes(scope) || granted.includes(scope.replace(/(^|_)read_/, "$1write_"));
}

async function readWebhooks(
  ctx: Ctx,
  shop: string,
  known: Tenant | null | undefined,
): Promise<WebhooksPart> {
  try {
    const tenant = known === undefined ? await findTenant(ctx, shop) : known;
    if (!tenant || !isConnected(tenant)) return { state: "not_connected" };
    if (await registrationRequests.isRecent(ctx, shop, REGISTRATION_SECONDS))
      return { state: "registering" };
    const uris = new Set(
      (await listSubscriptions(ctx, shop)).map(({ topic, uri }) => `${topic} ${uri}`),
    );
    const missing = API_TOPICS.filter(
      ({ graphqlTopic, slug }) =>
        !uris.has(`${graphqlTopic} ${ctx.baseUrl}${webhookPath(tenant, slug)}`),
    );
    const names = new Set<string>(missing.map(({ name }) => name));
    const refused = (tenant.connection.refused_webhooks ?? []).filter(({ topic }) =>
      names.has(topic),
    );
    return {
      state: "known",
      registered: API_TOPICS.length - missing.length,
      total: API_TOPICS.length,
      missing: [...names],
      ...(refused.length > 0 && { refused }),
    };
  } catch (error) {
    if (isAppError(error) && error.code === "not_installed") return { state: "not_connected" };
    return { state: "unknown", reason: reasonOf(ctx, shop, "webhooks", error) };
  }
}

async function readChannels(ctx: Ctx, tenant: Tenant | null | undefined): Promise<ChannelsPart> {
  if (tenant === undefined) return { state: "unknown", reason: UNKNOWN };
  if (tenant === null) return { state: "known", list: [] };
  try {
    const { circuits } = await readTogether(dataOf(ctx, tenant).sql, {
      circuits: openCircuitsRead(ctx),
    });
    return toChannels(ctx, tenant, circuits);
  } catch (error) {
    return { state: "unknown", reason: reasonOf(ctx, tenant.shop, "channels", error) };
  }
}

/** `open_until`: the time of the next attempt, ISO 8601. */
export type OpenCircuit = Columns<Kv, "key"> & { open_until: string };

export const openCircuitsRead = (ctx: Ctx): Read<OpenCircuit> => ({
  sql: `SELECT key, (value->>'open_until')::timestamptz AS open_until FROM kv WHERE shop = $1
    AND key = ANY($2::text[]) AND (value->>'open_until')::timestamptz > clock_timestamp()`,
  values: [ctx.channels.map(({ name }) => KEYS.circuit(name))],
});

/** Outside systems only: the archive and the built-in backend are always available. */
export function toChannels(
  ctx: Ctx,
  tenant: Tenant,
  open: readonly OpenCircuit[],
): Extract<ChannelsPart, { state: "known" }> {
  const untilOf = new Map(open.map((circuit) => [circuit.key, circuit.open_until]));
  const list = ctx.channels
    .filter(({ isInternal }) => !isInternal)
    .map((channel): ChannelState => {
      const until = untilOf.get(KEYS.circuit(channel.name));
      if (!channel.isEnabled(tenant)) return { name: channel.name, state: "off" };
      return until
        ? { name: channel.name, state: "paused", until: new Date(until).toISOString() }
        : { name: channel.name, state: "on" };
    });
  return { state: "known", list };
}

/** `refused` is set when the platform rejected topics. */
export type WebhookRepair =
  { isDone: true; changed: number; refused?: RefusedWebhook[] } | { isDone: false; reason: string };

/**
 * Registers the missing webhooks, for the button on the home page; never throws an error that the
 * merchant can act on.
 */
export async function repairWebhooks(ctx: Ctx, shop: string): Promise<WebhookRepair> {
  try {
    const { created, updated, refused } = await registerWebhooks(ctx, shop);
    return { isDone: true, changed: created + updated, ...(refused.length > 0 && { refused }) };
  } catch (error) {
    return { isDone: false, reason: reasonOf(ctx, shop, "webhooks", error) };
  }
}

function reasonOf(ctx: Ctx, shop: string, part: string, error: unknown): string {
  if (isAppError(error)) return error.message;
  if (error instanceof OutboundError) {
    ctx.log.warn("connection_state.unknown", {
      shop,
      part,
      kind: error.kind,
      status: error.status,
      reason: error.message,
    });
    return error.retryable
      ? "The store admin did not answer. Try again in a few minutes."
      : `The store admin refused the request (${error.status ?? error.kind}).`;
  }
  ctx.log.error("connection_state.unknown", error, { shop, part });
  return UNKNOWN;
}
