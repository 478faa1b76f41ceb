// The vendor's modules, as far as the UI extensions use them. Without imports of its own, so that it declares
// modules instead of adding to them.
type Signal<T> = { readonly value: T };
type I18n = {
  translate(key: string, values?: Record<string, string | number>): string;
  formatDate(date: Date, options?: Intl.DateTimeFormatOptions): string;
  formatNumber(value: number, options?: Intl.NumberFormatOptions): string;
};

declare module "@shopify/ui-extensions/customer-account.page.render" {
  export type Api = {
    i18n: I18n;
    localization: { language: Signal<{ isoCode: string }> };
    sessionToken: { get(): Promise<string> };
    toast: { show(text: string): Promise<unknown> };
  };
}

type AdminApi = {
  i18n: I18n;
  data: { selected: { id: string }[] };
};

declare module "@shopify/ui-extensions/admin.customer-details.block.render" {
  export type Api = AdminApi;
}

declare module "@shopify/ui-extensions/admin.customer-segment-details.action.render" {
  export type Api = AdminApi & { close(): void };
}
