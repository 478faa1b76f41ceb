// An event of the store's web pixel (DECISIONS 19): exactly these fields. A message with any other field is
// refused and nothing of it is stored, so that personal data has no place to be in. What the pixel sends:
// extensions/web-pixel/src/to-message.ts.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { EventTime } from "./event-time.ts";

export const PIXEL_SOURCE = "storefront_pixel";
/** Independent of the store's event routes. */
export const PIXEL_ROUTE = { destinations: ["web_analytics"], priority: 5 } as const;
export const MAX_PIXEL_BYTES = 8 * 1024;

const PIXEL_EVENT_TYPES = [
  "account.page_viewed",
  "checkout.page_viewed",
  "checkout.started",
  "checkout.contact_info_submitted",
  "checkout.address_info_submitted",
  "checkout.shipping_info_submitted",
  "checkout.payment_info_submitted",
  "checkout.completed",
] as const;

const MAX_SKEW_MS = 24 * 60 * 60_000;
const amount = z.number().min(0).max(1e9);
const id = (shape: RegExp) => z.string().regex(shape, "is not an id");
const ORDER_ID = /^(gid:\/\/shopify\/(Order|OrderIdentity)\/)?\d{1,20}$/;
const PRODUCT_ID = /^(gid:\/\/shopify\/Product\/)?\d{1,20}$/;
const VARIANT_ID = /^(gid:\/\/shopify\/ProductVariant\/)?\d{1,20}$/;

const PixelEvent = z.strictObject({
  event_type: z.enum(PIXEL_EVENT_TYPES),
  timestamp: EventTime,
  payload: z.strictObject({
    /** The platform's id of the event. */
    id: z.string().regex(/^[\w-]{8,100}$/, "is not an event id"),
    /** A random id of the visit, made in the browser after consent. Older pixels have none. */
    visit: z
      .string()
      .regex(/^[\w-]{8,64}$/, "is not the id of a visit")
      .optional(),
    consent: z.strictObject({
      analytics: z.literal(true, "must be true: without consent nothing is stored"),
    }),
    path: z
      .string()
      .max(200)
      .regex(/^[a-z_/-]*$/, "holds lower-case names between slashes only")
      .optional(),
    order_id: id(ORDER_ID).optional(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, "is not a currency code")
      .optional(),
    subtotal: amount.optional(),
    total: amount.optional(),
    items: z
      .array(
        z.strictObject({
          product_id: id(PRODUCT_ID).optional(),
          variant_id: id(VARIANT_ID).optional(),
          quantity: amount.optional(),
          price: amount.optional(),
        }),
      )
      .max(30)
      .optional(),
  }),
});

/** As the envelope takes it. Throws 400 naming what is missing, wrong or too much. */
export function readPixelEvent(ctx: Ctx, body: unknown) {
  const parsed = PixelEvent.safeParse(body);
  if (!parsed.success)
    throw new AppError("invalid_request", {
      fields: Object.fromEntries(
        parsed.error.issues.map(({ path, message, code }) => [
          path.join(".") || "body",
          // The default message repeats the names that the sender made up.
          code === "unrecognized_keys" ? "has a field that a pixel event does not have" : message,
        ]),
      ),
    });
  const { event_type, timestamp, payload } = parsed.data;
  const order = payload.order_id?.replace(/^gid:.*\//, "");
  const now = ctx.clock.now();
  return {
    event_type,
    // When a device's clock is wrong by days, the time of arrival is better.
    timestamp:
      Math.abs(Date.parse(timestamp) - now.getTime()) < MAX_SKEW_MS ? timestamp : now.toISOString(),
    entity_type: "order" as const,
    entity_id: order ? `gid://shopify/Order/${order}` : payload.id,
    // The platform's id alone: a repeated event may have another time.
    idempotency_key: hash("sha256", `${PIXEL_SOURCE}:${payload.id}`),
    payload,
  };
}
