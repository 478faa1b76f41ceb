// The systems that a store connects: the state of each, and connecting, changing and disconnecting
// one. The list is settings-pages.ts.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { deleteKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { findChannel, type Channel } from "../bus/channel.ts";
import { findMissing } from "../channels/channel-settings.ts";
import { readPlatformConfig, saveTenantConfig } from "../tenants/settings/configuration.ts";
import { withLentSettings } from "../tenants/settings/lent-settings.ts";
import {
  saveSettings,
  toFormCards,
  type FormCard,
  type PostedForm,
  type SaveResult,
} from "../tenants/settings/settings-form.ts";
import {
  DESTINATIONS_PATH,
  findIntegration,
  INTEGRATIONS,
  pathOfIntegration,
  type IntegrationName,
} from "../tenants/settings/settings-pages.ts";
import { defaultFields, isTenantField, type TenantFieldName } from "../tenants/tenant-config.ts";
import { dataOf, withTenant, type Tenant } from "../tenants/tenant.ts";
import type { ConnectionTest } from "./connection-tests.ts";

type Integration = (typeof INTEGRATIONS)[number];

/** Why a connected system needs attention. */
type Trouble =
  | { kind: "missing"; fields: TenantFieldName[] }
  /** It is not in the store's list of destinations. */
  | { kind: "left_out" }
  /** Deliveries wait until the time, because too many failed. */
  | { kind: "paused"; until: string }
  | { kind: "test_failed"; at: string };

export type IntegrationState = {
  name: IntegrationName;
  path: string;
  state: "connected" | "attention" | "none";
  trouble: Trouble | null;
  /** The service's settings connect it instead of the store's own. */
  isProvided: boolean;
};

export type IntegrationView = IntegrationState & {
  form: FormCard;
  lastTest: ConnectionTest | null;
  /** The store saved something of it, which a disconnection removes. */
  canDisconnect: boolean;
  /** The service's own connection would replace the store's. */
  isReplaced: boolean;
  /** Deliveries that wait, counted up to `MAX_COUNTED`. */
  waiting: number;
};

const MAX_COUNTED = 1_000;

/** `destinations`: where the store chooses which events go where; null when it has no events. */
export type IntegrationList = { integrations: IntegrationState[]; destinations: string | null };

export const readIntegrationList = async (ctx: Ctx, tenant: Tenant): Promise<IntegrationList> => ({
  integrations: await listIntegrations(ctx, tenant),
  destinations: tenant.config.access_role === "shared" ? null : DESTINATIONS_PATH,
});

/** The systems that the store may connect, with the state of each. */
export async function listIntegrations(ctx: Ctx, tenant: Tenant): Promise<IntegrationState[]> {
  const offered = INTEGRATIONS.filter((integration) => !isClosed(tenant, integration));
  const known = await readKnown(ctx, tenant, offered);
  return offered.map((integration) => toState(ctx, tenant, integration, known));
}

/** Null for a system that does not exist, or that is not for this store. */
export async function readIntegration(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
): Promise<IntegrationView | null> {
  const integration = findIntegration(name);
  const [form] = integration ? toFormCards(ctx, tenant, [integration], { by: "store" }) : [];
  if (!integration || !form || isClosed(tenant, integration)) return null;
  const [known, waiting, isReplaced] = await Promise.all([
    readKnown(ctx, tenant, [integration]),
    dataOf(ctx, tenant).prisma.integrationQueue.count({
      where: { status: "pending", channel: { in: [...integration.channels] } },
      take: MAX_COUNTED,
    }),
    worksWithout(ctx, tenant, integration),
  ]);
  return {
    ...toState(ctx, tenant, integration, known),
    form,
    lastTest: known.tests.get(name) ?? null,
    canDisconnect: ownFields(tenant, integration).length > 0,
    isReplaced,
    waiting,
  };
}

/** The document format alone is no ERP (SPEC "Stakeholder access"). */
const isClosed = ({ config }: Tenant, { name }: Integration): boolean =>
  config.access_role === "shared" && name === "erp";

const ownFields = ({ saved }: Tenant, { fields }: Integration): TenantFieldName[] =>
  fields.filter((name) => saved[name] !== undefined);

const channelsOf = (ctx: Ctx, { channels }: Integration): Channel[] =>
  channels.flatMap((name) => findChannel(ctx, name) ?? []);

const neededBy = (ctx: Ctx, integration: Integration): TenantFieldName[] => [
  ...new Set(channelsOf(ctx, integration).flatMap(({ needs }) => needs)),
];

type IntegrationFacts = { tests: Map<string, ConnectionTest>; pausedUntil: Map<string, string> };

const Circuit = z.object({ open_until: z.iso.datetime({ offset: true }) });

/** The last test of each system, and the channels that rest after failures: one read. */
async function readKnown(
  ctx: Ctx,
  tenant: Tenant,
  integrations: readonly Integration[],
): Promise<IntegrationFacts> {
  const testKeys = new Map(
    integrations.map((one) => [KEYS.connectionTest("test" in one ? one.test : one.name), one.name]),
  );
  const circuitKeys = new Map(
    integrations.flatMap(({ channels }) => channels.map((name) => [KEYS.circuit(name), name])),
  );
  const rows = await dataOf(ctx, tenant).prisma.kv.findMany({
    where: { key: { in: [...testKeys.keys(), ...circuitKeys.keys()] } },
    select: { key: true, value: true },
  });
  const known: IntegrationFacts = { tests: new Map(), pausedUntil: new Map() };
  for (const { key, value } of rows) {
    const test = testKeys.get(key as never);
    if (test) known.tests.set(test, value as ConnectionTest);
    const circuit = Circuit.safeParse(value);
    const channel = circuitKeys.get(key as never);
    if (channel && circuit.success && new Date(circuit.data.open_until) > ctx.clock.now())
      known.pausedUntil.set(channel, circuit.data.open_until);
  }
  return known;
}

function toState(
  ctx: Ctx,
  tenant: Tenant,
  integration: Integration,
  known: IntegrationFacts,
): IntegrationState {
  const { name } = integration;
  const needed = neededBy(ctx, integration);
  const isOn = channelsOf(ctx, integration).some((channel) => channel.isEnabled(tenant));
  const isBegun = needed.some((field) => tenant.saved[field]);
  const trouble = isOn || isBegun ? findTrouble(ctx, tenant, integration, known) : null;
  const switchedState = isOn ? "connected" : "none";
  return {
    name,
    path: pathOfIntegration(name),
    state: trouble ? "attention" : switchedState,
    trouble,
    isProvided: isOn && needed.some((field) => tenant.saved[field] === undefined),
  };
}

function findTrouble(
  ctx: Ctx,
  tenant: Tenant,
  integration: Integration,
  known: IntegrationFacts,
): Trouble | null {
  const { name, channels } = integration;
  const [first] = channelsOf(ctx, integration);
  const missing = first ? findMissing(tenant, first) : [];
  const fields = missing.filter(isTenantField);
  if (fields.length > 0) return { kind: "missing", fields };
  if (missing.length > 0) return { kind: "left_out" };
  const until = channels.flatMap((channel) => known.pausedUntil.get(channel) ?? []).sort()[0];
  if (until) return { kind: "paused", until };
  const test = known.tests.get(name);
  return test && !test.ok ? { kind: "test_failed", at: test.at } : null;
}

/** Whether the service's own settings connect the system without those of the store. */
async function worksWithout(ctx: Ctx, tenant: Tenant, integration: Integration): Promise<boolean> {
  const saved: Record<string, unknown> = { ...tenant.saved };
  for (const field of integration.fields) delete saved[field];
  const lent = withLentSettings(saved, {
    shop: tenant.shop,
    config: ctx.config,
    platform: await readPlatformConfig(ctx),
  });
  const defaults = defaultFields();
  const config: Record<string, unknown> = { ...tenant.config };
  for (const field of integration.fields) config[field] = lent[field] ?? defaults[field];
  const without = { ...tenant, saved, config: config as Tenant["config"] };
  return neededBy(ctx, integration).every((field) => without.config[field]);
}

/**
 * Saves a posted form. A system that is connected by it joins the store's list of destinations, if the
 * store has one: nothing would be delivered otherwise. Its last test is about the earlier settings.
 */
export async function saveIntegration(
  ctx: Ctx,
  tenant: Tenant,
  name: string,
  posted: PostedForm,
): Promise<SaveResult> {
  const integration = findIntegration(name);
  const result = await saveSettings(ctx, tenant.shop, posted, {
    by: "store",
    alongWith: (current, fields) =>
      integration && isConnecting(ctx, current, integration, fields)
        ? listChannels(current, (list) => [
            ...new Set([...list, ...destinationsOf(ctx, integration)]),
          ])
        : {},
  });
  if (integration && result.outcome === "saved") await forgetTest(ctx, tenant, integration);
  return result;
}

function isConnecting(
  ctx: Ctx,
  { saved }: Tenant,
  integration: Integration,
  fields: Record<string, unknown>,
): boolean {
  const needed = neededBy(ctx, integration);
  const has = (values: Record<string, unknown>) => needed.every((field) => values[field]);
  return !has(saved) && has({ ...saved, ...fields });
}

/**
 * Mails and workflows are no destinations of events: mails are sent as long as there is a sender,
 * workflows are started as long as they are switched on.
 */
const destinationsOf = (ctx: Ctx, integration: Integration): string[] =>
  channelsOf(ctx, integration)
    .filter(({ isDestination }) => isDestination)
    .map(({ name }) => name);

/** The change of the store's list of destinations; nothing without a list. */
function listChannels(
  { saved }: Tenant,
  change: (list: readonly string[]) => string[],
): { enabled_channels?: string[] } {
  const list = saved.enabled_channels as string[] | undefined;
  return list ? { enabled_channels: change(list) } : {};
}

/**
 * Removes the store's settings of the system, and takes it off the store's list of destinations. What
 * waits for it fails with its next attempt and can be replayed after a new connection.
 */
export async function disconnectIntegration(ctx: Ctx, tenant: Tenant, name: string): Promise<void> {
  const integration = findIntegration(name);
  if (!integration || isClosed(tenant, integration)) return;
  const isReplaced = await worksWithout(ctx, tenant, integration);
  await withTenant(ctx, tenant.shop, (current) => {
    const removed = ownFields(current, integration).map((field) => [field, null]);
    const left = isReplaced
      ? {}
      : listChannels(current, (list) =>
          list.filter((channel) => !destinationsOf(ctx, integration).includes(channel)),
        );
    return saveTenantConfig(
      ctx,
      tenant.shop,
      { ...Object.fromEntries(removed), ...left },
      { by: "store", seen: {} },
    );
  });
  await forgetTest(ctx, tenant, integration);
  ctx.log.info("integration.disconnected", { shop: tenant.shop, name });
}

const forgetTest = (ctx: Ctx, tenant: Tenant, integration: Integration): Promise<unknown> =>
  deleteKey(
    dataOf(ctx, tenant).sql,
    KEYS.connectionTest("test" in integration ? integration.test : integration.name),
  );
