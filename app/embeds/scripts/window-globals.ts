// Types of the globals that the page offers to the scripts, and of those they offer to the page.
export type Flags = {
  tos?: boolean | undefined;
  privacy?: boolean | undefined;
  cookie?: boolean | undefined;
  marketing?: boolean | undefined;
};
export type Choice = Flags & { version?: string; at?: string };

export type ConsentApi = {
  read(): Choice | null;
  /** Stores and records a choice. `method` names how it was made. */
  choose(flags: Flags, method?: string): void;
  /**
   * What holds without a choice, where the visitor's region asks for none: tags follow it. It is not
   * stored and not recorded, because nobody consented.
   */
  imply?(flags: Flags): void;
  /** In the theme editor: everything is shown, and nothing is recorded. */
  isPreview?: boolean;
};

type Answer = "yes" | "no" | "";
type Purpose = "analytics" | "marketing" | "preferences" | "sale_of_data";

/** shopify.dev "Customer Privacy API". */
export type CustomerPrivacy = {
  currentVisitorConsent(): Record<Purpose, Answer>;
  setTrackingConsent(
    consent: Partial<Record<Purpose, boolean>>,
    done: (error?: unknown) => void,
  ): void;
  shouldShowBanner(): boolean;
  saleOfDataRegion(): boolean;
  analyticsProcessingAllowed(): boolean;
  marketingAllowed(): boolean;
  /** The country, and the region behind it where the platform knows one: `DEBE`, `USCA`. */
  getRegion(): string;
};

export type StoreWindow = Window & {
  dataLayer?: unknown[];
  gtag?: (...command: unknown[]) => void;
  /** Set by the theme's inline script after it pushed the consent defaults. */
  _crmDefaults?: unknown;
  _crmConsent?: ConsentApi;
  /** Wires the consent elements that were added to the page. */
  _crmChoices?: () => void;
  _crmForms?: { submit(formType: string, email: string, form?: HTMLFormElement): Promise<void> };
  Shopify?: {
    designMode?: boolean;
    loadFeatures?(
      features: { name: string; version: string }[],
      done: (error?: unknown) => void,
    ): void;
    customerPrivacy?: CustomerPrivacy;
  };
};

export const hasGpc =
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
