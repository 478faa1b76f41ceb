// Ways into the theme editor (shopify.dev "Deep linking" of theme app extensions): the app embed is switched on by the
// merchant there, and nowhere else.

/** The file of the app embed in the theme extension. */
const EMBED_HANDLE = "consent";

/** Below the store's address: the theme editor with our app embed switched on, waiting to be saved. */
export function themeEmbedPath(clientId: string): string {
  return `/admin/themes/current/editor?${new URLSearchParams({ context: "apps", template: "index", activateAppId: `${clientId}/${EMBED_HANDLE}` })}`;
}

/** Whether a page of the store carries the app embed: it alone loads this script. */
export const carriesEmbed = (html: string): boolean => html.includes("/embed/stack-loader.js");
