// Delivery of a storefront's cart: the address that goes into it, the options that it offers there, and
// the chosen one. The address lives in the storefront's cart alone. Every update makes a new cart, which
// takes it from the request or from the cart before; nothing of it is stored or logged here.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { CART_ADDRESS } from "../../../integrations/storefront/commerce-documents.ts";
import { AppError, OutboundError } from "../../../runtime/errors.ts";
import type { UserError } from "../../tenants/storefront/admin-api.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { toPlainText } from "../catalog-text.ts";
import type { CheckoutRow, Delivery } from "../checkout/checkout.ts";
import type { DeliveryAddress, DeliveryInput } from "../checkout/checkout-input.ts";
import { fromCents, toCents, toRounded, type StorefrontMoney } from "../money.ts";

const MAX_TEXT = 255;
const MAX_OPTIONS = 50;
const DESTINATION = "destination_1";
/** Methods that bring the goods to an address; for the others the shopper chooses a place. */
const DELIVERY_METHODS = ["SHIPPING", "LOCAL"];

type CartOption = {
  handle: string;
  code?: string | null;
  title?: string | null;
  description?: string | null;
  deliveryMethodType: string;
  estimatedCost: StorefrontMoney;
};
export type CartGroups = {
  deliveryGroups?: {
    nodes: {
      id: string;
      deliveryOptions: CartOption[];
      selectedDeliveryOption?: Pick<CartOption, "handle" | "estimatedCost"> | null;
    }[];
  };
};
type Group = NonNullable<CartGroups["deliveryGroups"]>["nodes"][number];

/** An address as the storefront's cart and draft order take it. */
type StorefrontAddress = Partial<
  Record<
    | "address1"
    | "address2"
    | "city"
    | "countryCode"
    | "firstName"
    | "lastName"
    | "phone"
    | "provinceCode"
    | "zip",
    string
  >
>;

const FIELDS = {
  street_address: "address1",
  extended_address: "address2",
  address_locality: "city",
  address_country: "countryCode",
  first_name: "firstName",
  last_name: "lastName",
  phone_number: "phone",
  address_region: "provinceCode",
  postal_code: "zip",
} as const satisfies Record<keyof DeliveryAddress, keyof StorefrontAddress>;

/** Where a new cart is sent, and with which option. */
export type Shipment = {
  address: StorefrontAddress | null;
  /** Null without an address. */
  destinationId: string | null;
  optionId: string | null;
  /** The checkout had an address that can no longer be read from its cart. */
  isLost: boolean;
};

const NO_SHIPMENT: Shipment = { address: null, destinationId: null, optionId: null, isLost: false };

/**
 * `row` null: a new checkout. `input` undefined keeps what the checkout has, null removes it. Throws
 * `invalid_request` for an address that is named and not known.
 */
export async function toShipment(
  ctx: Ctx,
  tenant: Tenant,
  row: Pick<CheckoutRow, "source" | "external_id" | "delivery"> | null,
  input: DeliveryInput | null | undefined,
): Promise<Shipment> {
  const known = row?.delivery?.destination_id ?? null;
  if (input === null || (input === undefined && known === null)) return NO_SHIPMENT;
  const optionId = (input === undefined ? row?.delivery?.option_id : input.option_id) ?? null;
  if (input?.address)
    return {
      address: toStorefront(input.address),
      destinationId: input.destination_id ?? DESTINATION,
      optionId,
      isLost: false,
    };
  if (input?.destination_id !== undefined && input.destination_id !== known)
    throw new AppError("invalid_request", {
      fields: { "delivery.destination_id": "names no address of this checkout" },
    });
  if (row === null || known === null) return NO_SHIPMENT;
  const address = await readAddress(ctx, tenant, row);
  return { address, destinationId: address && known, optionId, isLost: address === null };
}

const toStorefront = (address: DeliveryAddress): StorefrontAddress =>
  Object.fromEntries(
    Object.entries(FIELDS).flatMap(([ours, theirs]) => {
      const value = address[ours as keyof DeliveryAddress];
      return value === undefined ? [] : [[theirs, value]];
    }),
  );

/** Null where the storefront does not return it. A draft order's address needs scopes that we do not ask for. */
async function readAddress(
  ctx: Ctx,
  tenant: Tenant,
  { source, external_id: id }: Pick<CheckoutRow, "source" | "external_id">,
): Promise<StorefrontAddress | null> {
  if (source !== "cart" || id === null) return null;
  try {
    const { cart } = await ctx.storefront.storefrontApi<{
      cart: {
        delivery?: { addresses?: { address?: Record<string, string | null> }[] };
      } | null;
    }>(tenant.shop, tenant.config.storefront_api_token, {
      document: CART_ADDRESS,
      variables: { id },
    });
    const address = cart?.delivery?.addresses?.[0]?.address;
    const names: readonly string[] = Object.values(FIELDS);
    return address?.countryCode
      ? Object.fromEntries(
          Object.entries(address).flatMap(([name, value]) =>
            names.includes(name) && value ? [[name, value]] : [],
          ),
        )
      : null;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    ctx.log.warn("checkout.address_unread", { shop: tenant.shop, kind: error.kind });
    return null;
  }
}

/** For `cartCreate`: chosen for this cart, and not kept with the customer. */
export const toCartInput = ({ address }: Shipment): object =>
  address === null
    ? {}
    : {
        delivery: {
          addresses: [{ address: { deliveryAddress: address }, selected: true, oneTimeUse: true }],
        },
      };

const ADDRESS_PROBLEMS: Record<string, string> = {
  ADDRESS_FIELD_IS_REQUIRED: "is required by the storefront",
  ADDRESS_FIELD_IS_TOO_LONG: "is too long for the storefront",
  INVALID_ZIP_CODE_FOR_COUNTRY: "is no postal code of this country",
  INVALID_ZIP_CODE_FOR_PROVINCE: "is no postal code of this region",
  ZIP_CODE_NOT_SUPPORTED: "is not served by the storefront",
  PROVINCE_NOT_FOUND: "is not known to the storefront; send the region's code",
};

/** Codes of `CartErrorCode`; a code alone is enough, should the field be missing. */
const ABOUT_ADDRESS =
  /^(?:ADDRESS_FIELD_|INVALID_ZIP_|PROVINCE_NOT_|ZIP_CODE_|UNSPECIFIED_ADDRESS)/;

/**
 * An address that the storefront refuses is the caller's to correct; no draft order takes its place. The
 * storefront's own text may repeat what was sent, and is not passed on.
 */
export function requireAcceptedAddress(errors: readonly UserError[] | undefined): void {
  const refused = (errors ?? []).filter(
    ({ field, code }) =>
      ABOUT_ADDRESS.test(code ?? "") ||
      field?.some((part) => part === "delivery" || part === "shippingAddress"),
  );
  if (refused.length === 0) return;
  const nameOf = (field: readonly string[]) =>
    Object.entries(FIELDS).find(([, theirs]) => theirs === field.at(-1))?.[0];
  const fields = refused.map(({ field, code }) => {
    const name = nameOf(field ?? []);
    return [
      name ? `delivery.address.${name}` : "delivery.address",
      ADDRESS_PROBLEMS[code ?? ""] ?? "is not accepted by the storefront",
    ];
  });
  throw new AppError("invalid_request", {
    message: `The delivery address is not accepted: ${fields.map(([name, problem]) => `${name} ${problem}`).join("; ")}.`,
    fields: Object.fromEntries(fields),
  });
}

type Offered = { handle: string; option: Delivery["options"][number] };

/** The storefront's handles are another in each cart: our ids follow from what the option is. */
function offeredIn({ deliveryOptions }: Group): Offered[] {
  const seen = new Map<string, number>();
  return deliveryOptions
    .filter(({ deliveryMethodType: type }) => DELIVERY_METHODS.includes(type))
    .slice(0, MAX_OPTIONS)
    .map(({ handle, code, title, description, deliveryMethodType, estimatedCost }) => {
      const name = toPlainText(title ?? code ?? "", MAX_TEXT) || "Delivery";
      const about = toPlainText(description ?? "", MAX_TEXT);
      const key = hash("sha256", JSON.stringify([deliveryMethodType, code ?? "", name])).slice(
        0,
        16,
      );
      const nth = (seen.get(key) ?? 0) + 1;
      seen.set(key, nth);
      return {
        handle,
        option: {
          id: nth === 1 ? key : `${key}-${nth}`,
          title: name,
          description: about && about !== name ? about : null,
          amount: toRounded(estimatedCost.amount),
        },
      };
    });
}

/**
 * The call that chooses the wanted option in this cart; null when there is nothing to choose, or the
 * storefront has chosen it itself.
 */
export function findChoice(
  { optionId }: Shipment,
  { deliveryGroups }: CartGroups,
): { deliveryGroupId: string; deliveryOptionHandle: string } | null {
  const [group, ...others] = deliveryGroups?.nodes ?? [];
  if (!group || others.length > 0 || optionId === null) return null;
  const handle = offeredIn(group).find(({ option }) => option.id === optionId)?.handle;
  return handle === undefined || handle === group.selectedDeliveryOption?.handle
    ? null
    : { deliveryGroupId: group.id, deliveryOptionHandle: handle };
}

const addressProblem = ({ destinationId, isLost }: Shipment): Delivery["problem"] => {
  if (destinationId !== null) return null;
  return isLost ? "address_lost" : "address_missing";
};

/** `variantIds`: what has to be shipped. */
export function readDelivery(
  shipment: Shipment,
  variantIds: readonly string[],
  { deliveryGroups }: CartGroups,
): Delivery {
  const { destinationId, optionId } = shipment;
  const groups = deliveryGroups?.nodes ?? [];
  // A checkout offers a choice for one parcel only.
  const group = groups.length === 1 ? groups[0] : undefined;
  const offered = group ? offeredIn(group) : [];
  const selected = group?.selectedDeliveryOption?.handle;
  const chosen = offered.find(({ handle }) => handle === selected)?.option;
  const findProblem = (): Delivery["problem"] => {
    if (variantIds.length === 0) return null;
    if (destinationId === null) return addressProblem(shipment);
    if (groups.length > 1) return "in_parcels";
    if (offered.length === 0) return "no_options";
    if (optionId !== null && chosen?.id !== optionId) return "option_unavailable";
    return chosen ? null : "option_missing";
  };
  return {
    variant_ids: [...variantIds],
    destination_id: destinationId,
    options: offered.map(({ option }) => option),
    option_id: chosen?.id ?? null,
    problem: findProblem(),
  };
}

/** A draft order takes the address; only the shopper chooses how it is delivered. */
export const deliveryOfDraft = (shipment: Shipment, variantIds: readonly string[]): Delivery => ({
  variant_ids: [...variantIds],
  destination_id: shipment.destinationId,
  options: [],
  option_id: null,
  problem: variantIds.length === 0 ? null : (addressProblem(shipment) ?? "not_supported"),
});

/**
 * The cart's total, and never less than its items and the chosen delivery: the storefront may leave the
 * delivery out of its total, and a mandate must reserve it.
 * `off`: discounts of the whole cart. `hasDeliveryCode`: a discount code is for the delivery, and takes
 * `deliveryOff` off it.
 */
export function totalWithDelivery(
  {
    subtotal,
    total,
    off,
    hasDeliveryCode,
  }: {
    subtotal: string;
    total: string;
    off: readonly StorefrontMoney[];
    hasDeliveryCode: boolean;
  },
  { deliveryGroups }: CartGroups,
): { total: string; deliveryOff: string | null } {
  const chosen = (deliveryGroups?.nodes ?? []).flatMap(({ selectedDeliveryOption: option }) =>
    option ? [option.estimatedCost] : [],
  );
  const sum = (all: readonly StorefrontMoney[]) =>
    all.reduce((cents, { amount }) => cents + toCents(toRounded(amount)), 0n);
  const least = toCents(subtotal) - sum(off) + sum(chosen);
  const missing = least - toCents(total);
  if (chosen.length === 0 || missing <= 0n) return { total, deliveryOff: null };
  return hasDeliveryCode && missing <= sum(chosen)
    ? { total, deliveryOff: fromCents(missing) }
    : { total: fromCents(least), deliveryOff: null };
}
