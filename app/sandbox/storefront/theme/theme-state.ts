/**
 * The app's blocks in the published theme: which are on, and with which settings. App Bridge tells the app
 * (shopify.dev "App API", `extensions()`).
 */
import type { BlockSettings, ShopState } from "../state.ts";
import { blockNames, EXTENSION_HANDLE, hasExtension, schemaOf } from "./theme-blocks.ts";

const THEME_ID = "gid://shopify/OnlineStoreTheme/1";

export const isActiveBlock = (shop: ShopState, block: string): boolean =>
  shop.activeBlocks?.includes(block) === true;

export function setActiveBlock(shop: ShopState, block: string, isActive: boolean): void {
  const others = (shop.activeBlocks ?? []).filter((name) => name !== block);
  shop.activeBlocks = isActive ? [...others, block] : others;
}

/** What the merchant set; the block's own defaults fill the rest. */
export const settingsOfBlock = (shop: ShopState, block: string): BlockSettings =>
  shop.blockSettings?.[block] ?? {};

export function setBlockSettings(shop: ShopState, block: string, settings: BlockSettings): void {
  shop.blockSettings = { ...shop.blockSettings, [block]: settings };
}

export function listExtensions(shop: ShopState): object[] {
  if (!hasExtension()) return [];
  const activations = blockNames().map((handle) => {
    const { name, target } = schemaOf(handle);
    const isActive = isActiveBlock(shop, handle);
    return {
      handle,
      name,
      target,
      status: isActive ? "active" : "available",
      activations: isActive ? [{ target: "template--index", themeId: THEME_ID }] : [],
    };
  });
  return [{ handle: EXTENSION_HANDLE, type: "theme_app_extension", activations }];
}
