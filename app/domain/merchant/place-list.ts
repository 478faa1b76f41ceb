// The places outside the app where shoppers and staff meet it (DECISIONS 19): each folder of
// extensions/ belongs to one. How each is read: merchant/places.ts; what the screen says: app/locales/*/places.json.
import { FLOW_ACTIONS } from "../flow/flow-actions.ts";
import { FLOW_TRIGGERS, flowHandle } from "../flow/flow-triggers.ts";
import { themeEditorPaths } from "../tenants/storefront/theme-links.ts";
import { PIXEL_SCOPES } from "../tenants/storefront/web-pixel/web-pixel.ts";

type PlaceEntry = {
  name: string;
  /** The folders in extensions/. */
  extensions: readonly string[];
  /** What the merchant allows for this place alone. */
  scopes: readonly string[];
  /** Where it is switched on, in the store admin. */
  adminPath(clientId: string): string;
};

export const PLACES = [
  {
    name: "theme",
    extensions: ["consent-footer"] as readonly string[],
    scopes: [] as readonly string[],
    adminPath: (clientId: string) => themeEditorPaths(clientId).consent,
  },
  {
    name: "web_pixel",
    extensions: ["web-pixel"] as readonly string[],
    scopes: PIXEL_SCOPES,
    adminPath: () => "/admin/settings/customer_events",
  },
  {
    name: "admin_customer",
    extensions: ["admin-customer", "admin-segment"] as readonly string[],
    scopes: [] as readonly string[],
    adminPath: () => "/admin/customers",
  },
  {
    name: "customer_account",
    extensions: ["customer-account"] as readonly string[],
    scopes: [] as readonly string[],
    adminPath: () => "/admin/settings/checkout/editor",
  },
  {
    name: "flow",
    extensions: Object.keys({ ...FLOW_TRIGGERS, ...FLOW_ACTIONS }).map(
      (name) => `flow-${flowHandle(name)}`,
    ),
    scopes: [] as readonly string[],
    adminPath: () => "/admin/apps/flow",
  },
] as const satisfies readonly PlaceEntry[];

export type PlaceName = (typeof PLACES)[number]["name"];
