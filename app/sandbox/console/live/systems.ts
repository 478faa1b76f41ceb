/** The boxes of the console's map: which channels of the service end in which system, and its switch. */
import type { Fault, SystemName } from "../../faults.ts";

export type MapSystem = {
  system: SystemName;
  label: string;
  /** What it receives, in a few words. */
  purpose: string;
  channels: readonly string[];
};

export const STORE: MapSystem = {
  system: "storefront",
  label: "Store",
  purpose: "Customers, orders, webhooks",
  channels: ["storefront"],
};

export const OUTSIDE_SYSTEMS: readonly MapSystem[] = [
  { system: "cms", label: "CMS", purpose: "Customer pages, staged", channels: ["cms"] },
  {
    system: "analytics",
    label: "Web analytics",
    purpose: "Events without personal data",
    channels: ["web_analytics"],
  },
  {
    system: "profilePlatform",
    label: "Profile platform",
    purpose: "Hashed profiles",
    channels: ["profile_platform"],
  },
  { system: "email", label: "Email", purpose: "Mails to shoppers", channels: ["email"] },
  {
    system: "erp",
    label: "ERP",
    purpose: "Orders and invoices",
    channels: ["erpsys", "erp_generic"],
  },
  {
    system: "retailAnalyticsA",
    label: "Retail analytics A",
    purpose: "Daily files",
    channels: ["retail_analytics_a"],
  },
  {
    system: "retailAnalyticsB",
    label: "Retail analytics B",
    purpose: "Sales records",
    channels: ["retail_analytics_b"],
  },
  {
    system: "federated",
    label: "Identity provider",
    purpose: "Signs shoppers in",
    channels: [],
  },
];

export const MAP_SYSTEMS: readonly MapSystem[] = [STORE, ...OUTSIDE_SYSTEMS];

export const systemOfChannel = (channel: string): MapSystem | undefined =>
  MAP_SYSTEMS.find(({ channels }) => channels.includes(channel));

export const MODES = ["working", "down", "slow", "limited", "refuses"] as const;
export type Mode = (typeof MODES)[number];

/** The store's pages stay open while its API fails. */
const API_PATH = /\/api\//;

export function faultOf(mode: Exclude<Mode, "working">, system: SystemName): Fault {
  const faults: Record<typeof mode, Fault> = {
    down: { status: 503, body: { message: "Service unavailable" } },
    slow: { delayMs: 3_000 },
    limited: { status: 429, headers: { "retry-after": "30" }, body: { message: "Too many calls" } },
    refuses: { status: 422, body: { message: "The data is not accepted" } },
  };
  return { ...faults[mode], ...(system === "storefront" && { match: API_PATH }) };
}

/** How a system that fails until further notice shows itself, also when a test made it fail. */
export function modeOf(fault: Fault | undefined): Mode {
  if (!fault) return "working";
  if ("delayMs" in fault || "delayReplyMs" in fault) return "slow";
  if (!("status" in fault)) return "down";
  if (fault.status === 429) return "limited";
  return fault.status >= 500 ? "down" : "refuses";
}
