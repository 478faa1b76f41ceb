// Deep links into the theme editor (shopify.dev "Configure theme app extensions", Deep linking).
// Only the merchant can enable the app's blocks, and only there.

/**
 * Blocks of the theme extension by file name; `consent` is the app embed with loader and banner.
 */
export type ThemePart = "consent" | "footer" | "account" | "compliance" | "cookies";

/**
 * Paths below the store's own address. Each adds its block, or enables the embed, and leaves saving
 * to the merchant.
 */
export function themeEditorPaths(clientId: string): Record<ThemePart, string> {
  const editor = (query: Record<string, string>) =>
    `/admin/themes/current/editor?${new URLSearchParams(query)}`;
  const block = (handle: ThemePart, template: string, target: string) =>
    editor({ template, addAppBlockId: `${clientId}/${handle}`, target });
  return {
    consent: editor({ context: "apps", template: "index", activateAppId: `${clientId}/consent` }),
    footer: block("footer", "index", "sectionGroup:footer"),
    account: block("account", "page", "newAppsSection"),
    compliance: block("compliance", "page", "newAppsSection"),
    cookies: block("cookies", "page", "newAppsSection"),
  };
}

/** Whether a page of the store contains the app embed: only the embed loads one of these scripts. */
export const carriesEmbed = (html: string): boolean =>
  html.includes("/embed/stack-loader.js") || html.includes("data-crm-config=");
