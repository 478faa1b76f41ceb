// What a caller may send to create or change a checkout (DECISIONS 11).
import { z } from "zod";
import { COUNTRY_CODES } from "../cart/country-codes.ts";

const MAX_LINES = 100;
const MAX_QUANTITY = 1_000;
const VARIANT = /^(?:gid:\/\/shopify\/ProductVariant\/)?(\d{1,20})$/;

const LineItem = z.object({
  variant_id: z
    .string()
    .regex(VARIANT, "must be the gid of a variant, or its number")
    .transform((id) => `gid://shopify/ProductVariant/${VARIANT.exec(id)?.[1]}`),
  quantity: z
    .number()
    .int("must be a whole number")
    .min(1, "must be at least 1")
    .max(MAX_QUANTITY, `must be at most ${MAX_QUANTITY}`),
});

const MAX_CODES = 10;

/** Discount codes, each once; case is ignored, as in the storefront. */
export const DiscountCodes = z
  .array(
    z
      .string()
      .trim()
      .regex(/^[^\p{C}]{1,100}$/u, "must be 1 to 100 printable characters")
      .meta({ pattern: "^.{1,100}$" }),
  )
  .max(MAX_CODES, `must name at most ${MAX_CODES} codes`)
  .transform((codes) => {
    const known = codes.map((code) => code.toLowerCase());
    return codes.filter((_, index) => known.indexOf(known[index] as string) === index);
  });

const addressText = (max: number) =>
  z
    .string()
    .trim()
    .max(max, `must be at most ${max} characters`)
    .regex(/^[^\p{C}]{0,255}$/u, "must be one line of printable characters")
    .meta({ pattern: "^.{0,255}$" })
    .transform((text) => text || undefined)
    .optional();

/** A postal address in UCP's words. It is never stored here: see cart/cart-delivery.ts. */
export const DeliveryAddress = z.object({
  address_country: z
    .string()
    .trim()
    .toUpperCase()
    .refine((code) => COUNTRY_CODES.has(code), "must be a country's code of two letters")
    .meta({ examples: ["DE"] }),
  postal_code: addressText(20),
  address_region: addressText(100).describe("The region's code, such as CA."),
  address_locality: addressText(100),
  street_address: addressText(255),
  extended_address: addressText(255),
  first_name: addressText(100),
  last_name: addressText(100),
  phone_number: addressText(40),
});
export type DeliveryAddress = z.output<typeof DeliveryAddress>;

export const DestinationId = z
  .string()
  .trim()
  .regex(
    /^[\w.:/?&=~%-]{1,200}$/,
    "must be 1 to 200 letters, digits and . : / ? & = ~ % _ -, like a gid",
  );

/** Without an address the one of the cart before is kept. */
export const DeliveryInput = z.object({
  address: DeliveryAddress.optional(),
  destination_id: DestinationId.optional().describe("The caller's own name of the address."),
  option_id: z.string().max(300).nullish().describe("One of the options of the response."),
});
export type DeliveryInput = z.output<typeof DeliveryInput>;

export const CheckoutChange = z.object({
  line_items: z
    .array(LineItem)
    .min(1, "must name at least one item")
    .max(MAX_LINES, `must name at most ${MAX_LINES} items`),
  discount_codes: DiscountCodes.optional().describe(
    "In place of those of the checkout; without it they stay.",
  ),
  delivery: DeliveryInput.nullish().describe(
    "In place of that of the checkout, null for none; without it address and option stay.",
  ),
});
export type CheckoutChange = z.output<typeof CheckoutChange>;

/** Without a mandate and with null are one request, also for its idempotency key. */
export const CheckoutInput = CheckoutChange.extend({
  mandate_id: z
    .string()
    .max(100)
    .nullish()
    .transform((id) => id ?? undefined),
});
export type CheckoutInput = z.output<typeof CheckoutInput>;

export type LineItemInput = { variantId: string; quantity: number };

/** One line per variant: the storefront would join them too. */
export function toLineItems({ line_items: items }: CheckoutChange): LineItemInput[] {
  const byVariant = new Map<string, LineItemInput>();
  for (const { variant_id: variantId, quantity } of items)
    byVariant.set(variantId, {
      variantId,
      quantity: (byVariant.get(variantId)?.quantity ?? 0) + quantity,
    });
  return [...byVariant.values()];
}
