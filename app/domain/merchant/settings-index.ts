// The index of the settings: a line per page with its state.
import type { Ctx } from "../../context.server.ts";
import { DEFAULT_RETENTION, retentionSettingNames } from "../inventory/retention-settings.ts";
import { isConnected, tokenState } from "../tenants/store-access.ts";
import {
  pathOfPage,
  SETTINGS_PAGES,
  type SettingsPageName,
} from "../tenants/settings/settings-pages.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { listIntegrations } from "./integrations.ts";

/** A text of the screen with its numbers, and whether it is good news. */
type PageState = {
  text:
    | "named"
    | "unnamed"
    | "provider"
    | "noProvider"
    | "basic"
    | "advanced"
    | "platformRegions"
    | "ownRegions"
    | "scriptsWait"
    | "scriptsRun"
    | "connected"
    | "noneConnected"
    | "attention"
    | "recipients"
    | "supportAddress"
    | "storeAddress"
    | "noRecipient"
    | "agentsOn"
    | "paymentsOff"
    | "agentsOff"
    | "defaultPeriods"
    | "ownPeriods"
    | "hostsOpen"
    | "storeConnected"
    | "storeEnded"
    | "storeNone";
  count?: number;
  value?: string;
  tone: "success" | "attention" | null;
};
export type IndexedPage = { name: SettingsPageName; path: string; state: PageState | null };

export async function readSettingsIndex(ctx: Ctx, tenant: Tenant): Promise<IndexedPage[]> {
  const integrations = await stateOfIntegrations(ctx, tenant);
  return SETTINGS_PAGES.map(({ name }) => ({
    name,
    path: pathOfPage(name),
    state: name === "integrations" ? integrations : STATES[name](tenant),
  }));
}

async function stateOfIntegrations(ctx: Ctx, tenant: Tenant): Promise<PageState> {
  const all = await listIntegrations(ctx, tenant);
  const needingAttention = all.filter(({ state }) => state === "attention").length;
  if (needingAttention > 0)
    return { text: "attention", count: needingAttention, tone: "attention" };
  const connected = all.filter(({ state }) => state === "connected").length;
  return connected > 0
    ? { text: "connected", count: connected, tone: "success" }
    : { text: "noneConnected", tone: null };
}

const STATES: Record<
  Exclude<SettingsPageName, "integrations">,
  (tenant: Tenant) => PageState | null
> = {
  brand: ({ config }) =>
    config.brand_name
      ? { text: "named", value: config.brand_name, tone: null }
      : { text: "unnamed", tone: null },
  "sign-in": ({ config }) =>
    config.federated_client_id
      ? { text: "provider", tone: "success" }
      : { text: "noProvider", tone: null },
  consent: ({ config }) => ({ text: config.consent_mode, tone: null }),
  regions: ({ config }) => ({
    text: config.consent_regions ? "ownRegions" : "platformRegions",
    tone: null,
  }),
  scripts: ({ config }) =>
    config.script_blocking.enabled
      ? { text: "scriptsWait", tone: "success" }
      : { text: "scriptsRun", tone: null },
  notifications: (tenant) => {
    const { config } = tenant;
    const addresses = new Set([...(config.alert_emails ?? []), ...(config.privacy_emails ?? [])]);
    if (addresses.size > 0) return { text: "recipients", count: addresses.size, tone: null };
    if (config.support_email)
      return { text: "supportAddress", value: config.support_email, tone: null };
    return isConnected(tenant)
      ? { text: "storeAddress", tone: null }
      : { text: "noRecipient", tone: "attention" };
  },
  agents: ({ config }) => {
    if (!config.agent_access_enabled) return { text: "agentsOff", tone: null };
    return config.agent_payments_enabled
      ? { text: "agentsOn", tone: "success" }
      : { text: "paymentsOff", tone: null };
  },
  privacy: ({ config }) => {
    const count = retentionSettingNames.filter(
      (name) => config[name] !== DEFAULT_RETENTION[name],
    ).length;
    return count === 0
      ? { text: "defaultPeriods", tone: null }
      : { text: "ownPeriods", count, tone: null };
  },
  advanced: ({ config, publicHosts }) => {
    const count = (config.public_hosts ?? []).filter((host) => !publicHosts.includes(host)).length;
    return count > 0 ? { text: "hostsOpen", count, tone: "attention" } : null;
  },
  places: () => null,
  tags: () => null,
  connection: (tenant) =>
    ({
      valid: { text: "storeConnected", tone: "success" } as const,
      reauth_required: { text: "storeEnded", tone: "attention" } as const,
      none: { text: "storeNone", tone: "attention" } as const,
    })[tokenState(tenant)],
};
