// Where a merchant turns the app's parts on: the theme editor, opened at the right place (shopify.dev "Configure theme app
// extensions", Deep linking). It must be the store's own domain; open them in a window of their own.
export type ThemeLinks = {
  /** The app embed: loader and banner. */
  consent: string;
  footer: string;
  account: string;
  compliance: string;
};

/** `clientId` is the app's. Each link adds its block, or turns the embed on, and leaves saving to the merchant. */
export function themeEditorLinks(shop: string, clientId: string): ThemeLinks {
  const editor = (query: Record<string, string>) => `https://${shop}/admin/themes/current/editor?${new URLSearchParams(query)}`;
  const block = (handle: string, template: string, target: string) => editor({ template, addAppBlockId: `${clientId}/${handle}`, target });
  return {
    consent: editor({ context: "apps", template: "index", activateAppId: `${clientId}/consent` }),
    footer: block("footer", "index", "sectionGroup:footer"),
    account: block("account", "page", "newAppsSection"),
    compliance: block("compliance", "page", "newAppsSection"),
  };
}
