// What a platform sends beside the items of a cart or checkout, field by field as UCP names it
// (schemas/shopping/types and schemas/common/types, the same in both versions). Clients send only what a
// tool's schema lists. None of it is trusted: the shopper is the token's, and prices are the
// storefront's.
import { z } from "zod";
import { DiscountCodes } from "../../commerce/checkout/checkout-input.ts";

const text = (max: number, description: string) => z.string().max(max).describe(description);

const Buyer = z
  .looseObject({
    first_name: text(200, "First name of the buyer."),
    last_name: text(200, "Last name of the buyer."),
    email: text(1_000, "Email address of the buyer."),
    phone_number: text(100, "Phone number of the buyer, as E.164 writes it."),
  })
  .partial()
  .describe("Who buys, as the platform knows it. The checkout is of the shopper who signed in.");

const Context = z
  .looseObject({
    address_country: text(100, "The country, best as ISO 3166-1 alpha-2."),
    address_region: text(200, "The region in the country, such as a state."),
    postal_code: text(50, "The postal code."),
    location: text(300, "A location of the business, by its id, such as the buyer's home store."),
    intent: text(2_000, "What the buyer is after."),
    language: text(100, "The preferred language, as BCP 47 writes it."),
    currency: text(20, "The preferred currency, as ISO 4217 names it."),
    eligibility: z
      .array(z.string().max(300))
      .max(50)
      .describe("Claims of benefits, by names in reverse-domain order."),
    payment: z
      .array(
        z.looseObject({
          handler: z.string().max(300),
          types: z.array(z.string().max(100)).max(20).optional(),
        }),
      )
      .max(20)
      .describe("Preferred payment handlers, the most preferred first."),
  })
  .partial()
  .describe("Hints for relevance and language; nothing is decided by them.");

const Signals = z
  .looseObject({
    "dev.ucp.buyer_ip": text(100, "The buyer's network address."),
    "dev.ucp.user_agent": text(2_000, "The buyer's User-Agent."),
  })
  .partial()
  .describe("What the platform observed, by names in reverse-domain order.");

const Attribution = z
  .record(z.string(), z.string().max(2_000))
  .describe("Campaigns and clicks, as they stand in an address's query.");

const Payment = z
  .looseObject({
    instruments: z
      .array(
        z.looseObject({
          id: z.string().max(300),
          handler_id: z.string().max(300),
          type: z.string().max(100),
          selected: z.boolean().optional(),
        }),
      )
      .max(20),
  })
  .partial()
  .describe(
    "Instruments of the platform. This store has no handler: the storefront takes the payment.",
  );

const Discounts = z
  .looseObject({
    codes: DiscountCodes.describe(
      "Discount codes, in place of those sent before; none: [].",
    ).optional(),
  })
  .describe("Discount codes for the storefront's cart.");

const Destination = z
  .looseObject({
    id: text(300, "The platform's own name of the address."),
    type: text(100, "shipping_address"),
    address_country: text(100, "The country, as ISO 3166-1 alpha-2."),
    postal_code: text(300, "The postal code."),
    address_region: text(300, "The region's code, such as a state's."),
    address_locality: text(300, "The town."),
    street_address: text(1_000, "Street and number."),
    extended_address: text(1_000, "Apartment, floor or c/o."),
    first_name: text(300, "First name of who receives it."),
    last_name: text(300, "Last name of who receives it."),
    phone_number: text(100, "Phone number of who receives it, as E.164 writes it."),
  })
  .partial();

const Fulfillment = z
  .looseObject({
    methods: z
      .array(
        z
          .looseObject({
            id: text(300, "The method's id, as answered."),
            type: text(100, "shipping; other methods are not offered."),
            line_item_ids: z.array(z.string().max(300)).max(200),
            destinations: z
              .array(Destination)
              .max(20)
              .describe("The shipping address. It is put on the storefront's cart and not kept."),
            selected_destination_id: z.string().max(300).nullable(),
            groups: z
              .array(
                z.looseObject({
                  id: text(300, "The group's id, as answered.").optional(),
                  selected_option_id: z
                    .string()
                    .max(300)
                    .nullable()
                    .describe("One of the options that were answered.")
                    .optional(),
                }),
              )
              .max(20),
          })
          .partial(),
      )
      .max(10),
  })
  .partial()
  .describe("Where it is sent and how. An update without it keeps both; no methods remove them.");

/** The fields of a catalog operation. */
export const BROWSING = {
  context: Context.optional(),
  signals: Signals.optional(),
  attribution: Attribution.optional(),
};
/** The fields of a cart. */
export const GATHERING = { buyer: Buyer.optional(), ...BROWSING };
/** The fields of a checkout. */
export const BUYING = {
  ...GATHERING,
  payment: Payment.optional(),
  discounts: Discounts.optional(),
  fulfillment: Fulfillment.optional(),
};
/** The fields of a checkout's completion. */
export const CONFIRMING = {
  signals: BROWSING.signals,
  attribution: BROWSING.attribution,
  payment: BUYING.payment,
};
