/**
 * The app's web pixel in a store (shopify.dev `webPixelCreate`): one at most, with settings that fit the
 * extension's own definition.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { GraphQLError } from "graphql";
import type { GraphqlContext } from "./graphql/admin-api.ts";
import { requireAccess } from "./scopes.ts";
import type { ShopState } from "./state.ts";

const MANIFEST = fileURLToPath(
  new URL("../../../extensions/web-pixel/shopify.extension.toml", import.meta.url),
);
const BUNDLE = fileURLToPath(new URL("../../generated/embeds/web-pixel.js", import.meta.url));
const FIRST_ID = 2_400_001;

export type WebPixel = { gid: string; settings: Record<string, string> };
type Input = { webPixel: { settings: unknown } };

/** The pixel as it was built; null in an installation without it. */
export const readPixelScript = (): string | null =>
  existsSync(BUNDLE) ? readFileSync(BUNDLE, "utf8") : null;

/** The settings' names and the shortest value of each. */
const definition = (): [name: string, min: number][] =>
  readFileSync(MANIFEST, "utf8")
    .split("[extensions.settings.fields.")
    .slice(1)
    .map((field) => [
      field.slice(0, field.indexOf("]")),
      Number(/"min", value = "(\d{1,4})"/.exec(field)?.[1] ?? 0),
    ]);

const refused = (code: string, field: string, message: string) => ({
  webPixel: null,
  userErrors: [{ code, field: [field], message }],
});

function readSettings(value: unknown): Record<string, string> | null {
  let settings = value;
  if (typeof value === "string")
    try {
      settings = JSON.parse(value);
    } catch {
      return null;
    }
  if (typeof settings !== "object" || settings === null) return null;
  const fields = definition();
  const given = settings as Record<string, unknown>;
  const fits =
    Object.keys(given).every((name) => fields.some(([known]) => known === name)) &&
    fields.every(([name, min]) => typeof given[name] === "string" && given[name].length >= min);
  return fits ? (given as Record<string, string>) : null;
}

function requirePixelAccess({ scope }: GraphqlContext, field: string): void {
  requireAccess(scope, field, "write_pixels");
  requireAccess(scope, field, "read_customer_events");
  if (!existsSync(MANIFEST)) throw new GraphQLError("No extension found.");
}

const show = ({ gid, settings }: WebPixel) => ({ id: gid, settings });
const INVALID = [
  "INVALID_SETTINGS",
  "settings",
  "Settings does not match the expected settings definition on the app",
] as const;

export const pixelResolvers = {
  webPixel: ({ id }: { id?: string | null }, context: GraphqlContext) => {
    requireAccess(context.scope, "webPixel", "read_pixels");
    const { webPixel: pixel } = context.shop;
    if (!pixel || (id && id !== pixel.gid))
      throw new GraphQLError("No web pixel was found for this app.", {
        extensions: { code: "RESOURCE_NOT_FOUND" },
      });
    return show(pixel);
  },

  webPixelCreate: ({ webPixel }: Input, context: GraphqlContext) => {
    requirePixelAccess(context, "webPixelCreate");
    if (context.shop.webPixel)
      return refused("TAKEN", "webPixel", "Web pixel has already been taken");
    const settings = readSettings(webPixel.settings);
    if (!settings) return refused(...INVALID);
    context.shop.webPixel = { gid: `gid://shopify/WebPixel/${nextId(context.shop)}`, settings };
    context.changed();
    return { webPixel: show(context.shop.webPixel), userErrors: [] };
  },

  webPixelUpdate: ({ id, webPixel }: Input & { id: string }, context: GraphqlContext) => {
    requirePixelAccess(context, "webPixelUpdate");
    if (context.shop.webPixel?.gid !== id)
      return refused("NOT_FOUND", "id", "Web pixel was not found");
    const settings = readSettings(webPixel.settings);
    if (!settings) return refused(...INVALID);
    context.shop.webPixel.settings = settings;
    context.changed();
    return { webPixel: show(context.shop.webPixel), userErrors: [] };
  },
};

/** A pixel that is made after another one ended has an id of its own. */
const nextId = (shop: ShopState): number => (shop.nextPixelId = (shop.nextPixelId ?? FIRST_ID) + 1);
