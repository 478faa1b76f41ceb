// What the theme's script needs to hold back known vendors. It is public: every shopper receives it in the page. The
// script is a file of the theme extension and is published at another time: new values are added at the end.
import type { HeldGroup } from "../../vendors/held-addresses.ts";
import { toHeldGroups } from "../../vendors/script-blocking.ts";
import type { TenantConfig } from "../tenant-config.ts";

/** `ownTag`: the id of the tag that the loader itself starts; empty where the store has none. */
export type BlockerValues = [months: number, ownTag: string, groups: HeldGroup[]];

/** False in a store that holds nothing back: its pages then have nothing of it. */
export function toBlockerValues(config: TenantConfig): BlockerValues | false {
  const groups = config.script_blocking.enabled ? toHeldGroups(config.script_blocking) : [];
  return (
    groups.some(([purposes]) => purposes !== "") && [
      config.consent_lifetime_months,
      config.analytics_measurement_id ?? "",
      groups,
    ]
  );
}
