// What an extension finds as `shopify` (shopify.dev "Customer account UI extensions", "Admin UI extensions"). What
// the target's API does not have is an error.
import type { Surface } from "./host-element.ts";

type Texts = { [key: string]: string | Texts };

/** What the page says when it starts the extension. */
export type Start = {
  surface: Surface;
  target: string;
  apiVersion: string;
  scriptUrl: string;
  /** The service's address, a value of the extension's build. */
  appUrl: string;
  locale: string;
  /** The language of the extension's own texts. */
  textsLocale: string;
  texts: Texts;
  country: string;
  currency: string;
  hasNetworkAccess: boolean;
  /** On customer accounts: who is signed in. */
  customerId: string | null;
  /** In the admin: what the page shows. */
  selected: { id: string }[];
  /** The address of the page itself, as the extension sees it. */
  url: string;
};

/** A call that the page answers: a token, a toast, a query. */
export type Ask = (name: string, ...values: unknown[]) => Promise<unknown>;

/** Reads of a name that the platform does not have fail at once instead of later as undefined. */
export function strict<T extends object>(what: string, value: T): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      if (typeof name === "string" && !(name in target) && name !== "then" && name !== "toJSON")
        throw new Error(`${what}.${name} is not part of the platform's API`);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

const signal = <T>(value: T) => ({
  value,
  current: value,
  subscribe: (listener: (value: T) => void) => {
    listener(value);
    return () => {};
  },
});

function findText(texts: Texts, key: string): string | Texts | undefined {
  return key
    .split(".")
    .reduce<string | Texts | undefined>(
      (at, part) => (typeof at === "object" ? at[part] : undefined),
      texts,
    );
}

function i18nOf({ locale, textsLocale, texts, currency }: Start) {
  return strict("shopify.i18n", {
    translate(key: string, values: Record<string, unknown> = {}): string {
      let found = findText(texts, key);
      if (typeof found === "object" && typeof values["count"] === "number")
        found = found[new Intl.PluralRules(textsLocale).select(values["count"])] ?? found["other"];
      if (typeof found !== "string") throw new Error(`The extension has no text ${key}`);
      return found.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => {
        if (!(name in values)) throw new Error(`The text ${key} needs the value ${name}`);
        return String(values[name]);
      });
    },
    formatNumber: (value: number, options?: Intl.NumberFormatOptions) =>
      new Intl.NumberFormat(locale, options).format(value),
    formatCurrency: (value: number, options?: Intl.NumberFormatOptions) =>
      new Intl.NumberFormat(locale, { style: "currency", currency, ...options }).format(value),
    formatDate: (value: Date, options?: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, options).format(value),
  });
}

const storageOf = () => {
  const kept = new Map<string, unknown>();
  return strict("shopify.storage", {
    read: async (key: string) => kept.get(key) ?? null,
    write: async (key: string, value: unknown) => void kept.set(key, value),
    delete: async (key: string) => kept.delete(key),
  });
};

export function platformApi(start: Start, ask: Ask): object {
  const shared = { i18n: i18nOf(start), storage: storageOf() };
  if (start.surface === "admin")
    return strict("shopify", {
      ...shared,
      extension: { target: start.target },
      auth: { idToken: () => ask("token") },
      data: { selected: start.selected },
      query: (query: string, options: object = {}) => ask("query", { query, ...options }),
      navigation: { navigate: (url: string | URL) => void ask("navigate", String(url)) },
      close: () => void ask("close"),
      intents: {},
    });
  return strict("shopify", {
    ...shared,
    extensionPoint: start.target,
    extension: {
      target: start.target,
      apiVersion: start.apiVersion,
      scriptUrl: start.scriptUrl,
      capabilities: signal(start.hasNetworkAccess ? ["network_access"] : []),
      rendered: signal(true),
      version: undefined,
      editor: undefined,
    },
    version: start.apiVersion,
    sessionToken: { get: () => ask("token") },
    authenticatedAccount: {
      customer: signal(start.customerId === null ? undefined : { id: start.customerId }),
      purchasingCompany: signal(undefined),
    },
    localization: {
      language: signal({ isoCode: start.locale }),
      extensionLanguage: signal({ isoCode: start.textsLocale }),
      country: signal({ isoCode: start.country }),
    },
    settings: signal({}),
    toast: {
      show: async (text: string) => {
        await ask("toast", text);
        return { hide: () => {} };
      },
    },
  });
}

/** The global `navigation` of customer accounts. */
export const navigationApi = ({ url }: Start, ask: Ask): object =>
  strict("navigation", {
    navigate: (to: string) => void ask("navigate", to),
    currentEntry: { key: "0", url, getState: () => undefined },
    updateCurrentEntry: () => {},
    addEventListener: () => {},
    removeEventListener: () => {},
  });
