// What leaves the browser: the named fields of an event and nothing else. A field that is not here, such as
// the buyer's address or the checkout's token, is never sent. The service refuses a message with more
// (app/domain/events/pixel-event.ts).

type Money = { amount?: unknown; currencyCode?: unknown } | null;
type Line = {
  quantity?: unknown;
  variant?: { id?: unknown; price?: Money; product?: { id?: unknown } | null } | null;
};

/** As far as it is read: everything may be missing. */
export type PlatformEvent = {
  id?: unknown;
  name?: unknown;
  timestamp?: unknown;
  context?: { document?: { location?: { pathname?: unknown; hostname?: unknown } } };
  data?: {
    checkout?: {
      currencyCode?: unknown;
      order?: { id?: unknown } | null;
      subtotalPrice?: Money;
      totalPrice?: Money;
      lineItems?: Line[];
    } | null;
  } | null;
};

type Item = { product_id?: string; variant_id?: string; quantity?: number; price?: number };
export type PixelMessage = {
  event_type: string;
  timestamp: string;
  payload: {
    id: string;
    /** A random id, which the visit's events share. */
    visit?: string;
    /** Only what the visitor allowed is sent at all. */
    consent: { analytics: true };
    path?: string;
    order_id?: string;
    currency?: string;
    subtotal?: number;
    total?: number;
    items?: Item[];
  };
};

const PAGE_VIEWED = "page_viewed";
const CHECKOUT_EVENTS: Readonly<Record<string, string>> = {
  checkout_started: "checkout.started",
  checkout_contact_info_submitted: "checkout.contact_info_submitted",
  checkout_address_info_submitted: "checkout.address_info_submitted",
  checkout_shipping_info_submitted: "checkout.shipping_info_submitted",
  payment_info_submitted: "checkout.payment_info_submitted",
  checkout_completed: "checkout.completed",
};
/** The standard events that the pixel subscribes to. */
export const EVENT_NAMES = [PAGE_VIEWED, ...Object.keys(CHECKOUT_EVENTS)];

const MAX_ITEMS = 30;
const MAX_PATH = 200;
/** Behind a language (`/en-ca`) or the store's number: `/checkouts/cn/...`, `/123/orders/...`, `/account`. */
const PAGE = /^\/(?:[a-z]{2}(?:-[a-z]{2})?\/|\d{1,20}\/)?(checkouts|orders|account)(?:\/|$)/i;

/** Null for an event that is not sent: of another kind, of a page of the theme, or damaged. */
export function toMessage({
  id,
  name,
  timestamp,
  context,
  data,
}: PlatformEvent): PixelMessage | null {
  if (typeof id !== "string" || !/^[\w-]{8,100}$/.test(id) || typeof name !== "string") return null;
  const { pathname, hostname } = context?.document?.location ?? {};
  const page = typeof pathname === "string" ? pathname : "";
  const type = name === PAGE_VIEWED ? typeOfPage(page, hostname) : CHECKOUT_EVENTS[name];
  if (!type) return null;
  const checkout = data?.checkout;
  const at = new Date(typeof timestamp === "string" ? timestamp : Number.NaN);
  return {
    event_type: type,
    timestamp: (Number.isNaN(at.getTime()) ? new Date() : at).toISOString(),
    payload: {
      id,
      consent: { analytics: true },
      ...(page && { path: toPath(page) }),
      ...text("order_id", checkout?.order?.id, /^(gid:\/\/shopify\/\w+\/)?\d{1,20}$/),
      ...text("currency", checkout?.currencyCode, /^[A-Z]{3}$/),
      ...amount("subtotal", checkout?.subtotalPrice?.amount),
      ...amount("total", checkout?.totalPrice?.amount),
      ...(checkout?.lineItems && {
        items: checkout.lineItems.slice(0, MAX_ITEMS).map(({ quantity, variant }): Item => ({
          ...text("product_id", variant?.product?.id, /^(gid:\/\/shopify\/Product\/)?\d{1,20}$/),
          ...text("variant_id", variant?.id, /^(gid:\/\/shopify\/ProductVariant\/)?\d{1,20}$/),
          ...amount("quantity", quantity),
          ...amount("price", variant?.price?.amount),
        })),
      }),
    },
  };
}

/** Undefined for a page of the theme, where the theme's own tags are. */
function typeOfPage(page: string, hostname: unknown): string | undefined {
  if (typeof hostname === "string" && hostname.startsWith("account.")) return "account.page_viewed";
  const place = PAGE.exec(page)?.[1]?.toLowerCase();
  if (!place) return undefined;
  return place === "account" ? "account.page_viewed" : "checkout.page_viewed";
}

/** Without the checkout's token and other numbers: a segment that is more than a lower-case name is `-`. */
const toPath = (page: string): string =>
  page
    .split("/")
    .map((segment) => (/^[a-z_-]{0,40}$/.test(segment) ? segment : "-"))
    .join("/")
    .slice(0, MAX_PATH);

const text = (name: string, value: unknown, shape: RegExp): Record<string, string> =>
  typeof value === "string" && shape.test(value) ? { [name]: value } : {};

const amount = (name: string, value: unknown): Record<string, number> =>
  typeof value === "number" && value >= 0 && value < 1e9 ? { [name]: value } : {};
