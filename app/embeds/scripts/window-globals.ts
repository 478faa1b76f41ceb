// Types of the globals that the page offers to the scripts, and of those they offer to the page.
export type Flags = { tos?: boolean; privacy?: boolean; cookie?: boolean; marketing?: boolean };
export type Choice = Flags & { version?: string; at?: string };

export type ConsentApi = {
  read(): Choice | null;
  /**
   * `isFromStorefront`: the choice came from the storefront's own banner and is not reported back
   * to it.
   */
  choose(flags: Flags, method?: string, isFromStorefront?: boolean): void;
};

/** shopify.dev "Customer Privacy API". */
type CustomerPrivacy = {
  setTrackingConsent(
    consent: Record<"analytics" | "marketing" | "preferences" | "sale_of_data", boolean>,
    done: () => void,
  ): void;
};

export type StoreWindow = Window & {
  dataLayer?: unknown[];
  gtag?: (...command: unknown[]) => void;
  /** Set by the theme's inline script after it pushed the consent defaults. */
  _crmDefaults?: unknown;
  _crmConsent?: ConsentApi;
  _crmForms?: { submit(formType: string, email: string, form?: HTMLFormElement): Promise<void> };
  Shopify?: {
    loadFeatures?(
      features: { name: string; version: string }[],
      done: (error?: unknown) => void,
    ): void;
    customerPrivacy?: CustomerPrivacy;
  };
};
