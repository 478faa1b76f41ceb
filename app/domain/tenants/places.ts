// The places outside the app where shoppers and staff meet it (DECISIONS 19): one entry per folder of
// extensions/. How each is read: merchant/places.ts; what the screen says: app/locales/*/places.json.
import { themeEditorPaths } from "./storefront/theme-links.ts";
import { PIXEL_SCOPES } from "./storefront/web-pixel.ts";

type PlaceEntry = {
  name: string;
  /** The folder in extensions/, which is also the extension's handle. */
  extension: string;
  /** What the merchant allows for this place alone. */
  scopes: readonly string[];
  /** Where it is switched on, in the store admin. */
  adminPath(clientId: string): string;
};

export const PLACES = [
  {
    name: "theme",
    extension: "consent-footer",
    scopes: [] as readonly string[],
    adminPath: (clientId: string) => themeEditorPaths(clientId).consent,
  },
  {
    name: "web_pixel",
    extension: "web-pixel",
    scopes: PIXEL_SCOPES,
    adminPath: () => "/admin/settings/customer_events",
  },
] as const satisfies readonly PlaceEntry[];

export type PlaceName = (typeof PLACES)[number]["name"];
