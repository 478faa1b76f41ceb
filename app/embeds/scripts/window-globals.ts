// Types of the globals that the page offers to the scripts, and of those they offer to the page.
import type { TYPES } from "./browser-store.ts";

export type Flags = { [type in (typeof TYPES)[number]]?: boolean | undefined };
export type Choice = Flags & {
  version?: string | undefined;
  at?: string;
  /** The one before, which ended. It says what this one leaves open, and goes when nothing is. */
  ended?: Choice;
};

export type ConsentApi = {
  /** Null without a choice, and when it is too old, except for `isAnyAge`. */
  read(isAnyAge?: boolean): Choice | null;
  /**
   * Stores and records a choice. `method` names how it was made; `isRecorded`: the service has it
   * already. Returns whether it is stored here or with the service; for this page it counts in any case.
   */
  choose(flags: Flags, method?: string, isRecorded?: boolean): boolean | Promise<boolean> | void;
  /**
   * What holds without a choice, where the visitor's region asks for none: tags follow it. It is not
   * stored and not recorded, because no visitor consented.
   */
  imply?(flags: Flags): void;
  /** What counts now: the choice, else what was implied. Undefined where neither says it. */
  holds?(type: "cookie" | "marketing"): boolean | undefined;
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

export type FormField = [type: string, name: string, value: string, isChecked: boolean];
/** The form as it was when it was submitted: a copy of it, or its fields. */
export type FormSubmission = [
  formType: string,
  email: string | null | undefined,
  form?: HTMLFormElement | FormField[] | undefined,
  /** Where the theme's page kept it: the time, the store's customer, and the session's token. */
  at?: number,
  customer?: string,
  token?: string | null,
];

/** The ids of the analytics product and of this browser, for the consent record. */
type PageContext = {
  consent_id: string;
  visitor_id: string;
  consent_version: string | undefined;
  ga_session_id: string | undefined;
  ga_client_id: string | undefined;
  timestamp: string;
  source_page: string;
};

/** A request that is not answered yet. */
export type OutboxItem = {
  id: string;
  /** Who acted: the session's subject, else the store's customer, else empty. */
  by: string;
  at: number;
  /** When this browser's own refusal was recorded, which was made before the item. */
  since?: number;
  body: Record<string, unknown>;
  /** Sent without a session; kept for the account. */
  isCopied?: boolean;
  /** How many answers were not the service's own. */
  foreign?: number;
};

/** A change of tags, or a consent, which has a `method`. */
export type OutboxBody =
  | { add: string[]; remove: string[]; ga_session_id: string | undefined }
  | (Record<string, unknown> & { method: string });

/** What the loader gives to stack-bridge.ts, which sets `send`. */
export type LoaderAccess = {
  items(): OutboxItem[];
  keep(items: OutboxItem[]): unknown;
  /** `by` and `at`: of an item that was made before, on another page. */
  post(body: OutboxBody, by?: string, at?: number): Promise<boolean>;
  context(): PageContext;
  sessionToken(): string | null | undefined;
  /** The subject of this token; without one, of the session's. */
  userId(token?: string | null): string | undefined;
  /**
   * A list, because its names would be downloaded by every shopper. A browser may have an older loader
   * than bridge: entries are only added at the end.
   */
  place: [
    at: string,
    query: string,
    service: string,
    shop: string,
    customer: string | undefined,
    key: string,
  ];
  send?(): Promise<void>;
};

export type StoreWindow = Window & {
  dataLayer?: unknown[];
  gtag?: (...command: unknown[]) => void;
  /** Set by the theme's inline script after it pushed the consent defaults. */
  _crmDefaults?: unknown;
  _crmConsent?: ConsentApi;
  _crmLoader?: LoaderAccess;
  /** Wires the consent elements that were added to the page. */
  _crmChoices?: () => void;
  _crmForms?: {
    submit(formType: string, email: string, form?: HTMLFormElement): Promise<unknown>;
    /** What was submitted before stack-bridge.ts was there. */
    waiting?: FormSubmission[];
  };
  Shopify?: {
    designMode?: boolean;
    loadFeatures?(
      features: { name: string; version: string }[],
      done: (error?: unknown) => void,
    ): void;
    customerPrivacy?: CustomerPrivacy;
  };
};

export const win = window as StoreWindow;

export const hasGpc =
  (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
