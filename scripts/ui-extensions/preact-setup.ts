// In place of "@shopify/ui-extensions/preact" in the sandbox's bundles. That module connects the platform's
// values to Preact signals; the sandbox's values change only with the page.
export {};
