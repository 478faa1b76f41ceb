/**
 * What a merchant does in the theme editor, and what App Bridge then tells the app (shopify.dev "App API",
 * `extensions()`).
 */
import { page, type ApiResponse } from "../../exchange.ts";
import { escapeHtml, layout } from "../../console/page-layout.ts";
import type { ShopState } from "../state.ts";
import { blockNames, EXTENSION_HANDLE, hasExtension, schemaOf } from "./theme-blocks.ts";

const THEME_ID = "gid://shopify/OnlineStoreTheme/1";

/** Opening the editor with a block in the address adds it, and the merchant saves. */
export function openThemeEditor(shop: ShopState, query: URLSearchParams): ApiResponse {
  const [, block = ""] = (query.get("activateAppId") ?? query.get("addAppBlockId") ?? "").split(
    "/",
  );
  if (blockNames().includes(block)) setActiveBlock(shop, block, true);
  const active = (shop.activeBlocks ?? []).map((name) => `<li>${escapeHtml(name)}</li>`).join("");
  return page(
    200,
    layout(
      "Theme editor",
      `<main class="narrow"><section class="card"><h1>Theme editor of ${escapeHtml(shop.domain)}</h1>
      <p>Saved. Active blocks of the app:</p><ul>${active || "<li>none</li>"}</ul></section></main>`,
    ),
  );
}

export function setActiveBlock(shop: ShopState, block: string, isActive: boolean): void {
  const others = (shop.activeBlocks ?? []).filter((name) => name !== block);
  shop.activeBlocks = isActive ? [...others, block] : others;
}

export function listExtensions(shop: ShopState): object[] {
  if (!hasExtension()) return [];
  const activations = blockNames().map((handle) => {
    const { name, target } = schemaOf(handle);
    const isActive = shop.activeBlocks?.includes(handle) === true;
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
