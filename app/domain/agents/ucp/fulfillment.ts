// UCP's fulfillment extension of a checkout (schemas/shopping/fulfillment.json): one method, shipping, with
// one address and one group. The address that an answer shows is the one that the platform sent with the same
// call; it is not kept for later answers.
import { AppError } from "../../../runtime/errors.ts";
import type { Checkout, DeliveryProblem } from "../../commerce/checkout/checkout.ts";
import { DestinationId, type DeliveryAddress } from "../../commerce/checkout/checkout-input.ts";
import { toMinorUnits } from "../minor-units.ts";
import type { UcpMessage, UcpTerms } from "./envelope.ts";

const METHOD = "shipping";
const GROUP = "group_1";

const ADDRESS_FIELDS = [
  "address_country",
  "postal_code",
  "address_region",
  "address_locality",
  "street_address",
  "extended_address",
  "first_name",
  "last_name",
  "phone_number",
] as const satisfies readonly (keyof DeliveryAddress)[];

type Text = string | undefined;
type Destination = { id?: Text } & Partial<Record<keyof DeliveryAddress, Text>>;
type Method = {
  type?: Text;
  destinations?: Destination[] | undefined;
  selected_destination_id?: string | null | undefined;
  groups?: { id?: Text; selected_option_id?: string | null | undefined }[] | undefined;
};
export type GivenFulfillment = { methods?: Method[] | undefined } | undefined;

/** The checkout's `delivery` as sent: undefined keeps it, null removes it. Unchecked. */
export type GivenDelivery =
  { address?: Destination; destination_id?: string; option_id: string | null } | null | undefined;

/** Throws `invalid_request` with its path for more than one address: the storefront's cart goes to one. */
export function toDelivery(given: GivenFulfillment): GivenDelivery {
  if (given?.methods === undefined) return undefined;
  const [method, ...others] = given.methods.filter(isShipping);
  if (others.length > 0)
    throw unusable(
      "All items go to one address: send one shipping method.",
      `$.fulfillment.methods[${given.methods.lastIndexOf(others.at(-1) as Method)}]`,
    );
  if (!method || method.selected_destination_id === null) return null;
  const { destinations = [], selected_destination_id: selected, groups = [] } = method;
  const chosen = chosenOf(method);
  if (destinations.length > 0 && !chosen)
    throw unusable(
      "Select one of the destinations: all items go to one address.",
      deliveryPath(given, ["destination_id"]),
    );
  const group = groups.find(({ id = GROUP }) => id === GROUP);
  const option_id = group?.selected_option_id ?? null;
  // An id of any other shape is not kept: it could be an address.
  const id = DestinationId.safeParse(chosen?.id ?? selected);
  // Another id than the selected one must not be returned (UCP "Selection and Location Identity").
  if (!id.success && selected !== undefined)
    throw unusable(
      "The selected destination's id is no name: use letters, digits and . : / ? & = ~ % _ - only.",
      deliveryPath(given, ["destination_id"]),
    );
  const destination = id.success ? { destination_id: id.data } : {};
  const address = chosen && pickAddress(chosen);
  return address && Object.keys(address).length > 0
    ? { address, ...destination, option_id }
    : { ...destination, option_id };
}

const isShipping = ({ type = METHOD }: Method): boolean => type === METHOD;

const unusable = (message: string, path: string) =>
  new AppError("invalid_request", { message, details: { path } });

/** The selected one; one alone needs no selection. */
function chosenOf({
  destinations = [],
  selected_destination_id: selected,
}: Method): Destination | undefined {
  const [only, ...further] = destinations;
  const isOnly = further.length === 0 && (only?.id === undefined || selected === undefined);
  return (
    destinations.find(({ id }) => id !== undefined && id === selected) ??
    (isOnly ? only : undefined)
  );
}

/** Where a field of the checkout's `delivery` is in the methods that were sent. */
export function deliveryPath(
  given: GivenFulfillment,
  [name = "", ...rest]: readonly string[],
): string {
  const index = (given?.methods ?? []).findIndex(isShipping);
  const method = given?.methods?.[index];
  const at = `$.fulfillment.methods[${Math.max(0, index)}]`;
  if (name === "destination_id") return `${at}.selected_destination_id`;
  if (name === "option_id") {
    const group = (method?.groups ?? []).findIndex(({ id = GROUP }) => id === GROUP);
    return `${at}.groups[${Math.max(0, group)}].selected_option_id`;
  }
  const chosen = method && chosenOf(method);
  const destination = chosen ? (method.destinations ?? []).indexOf(chosen) : 0;
  return [`${at}.destinations[${destination}]`, ...rest].join(".");
}

const pickAddress = (destination: Destination): Destination =>
  Object.fromEntries(
    ADDRESS_FIELDS.flatMap((name) =>
      destination[name] === undefined ? [] : [[name, destination[name]]],
    ),
  );

/** `given`: what the platform sent with this call. */
export function toUcpFulfillment(
  { version }: UcpTerms,
  { delivery, line_items: lines, currency }: Checkout,
  given?: GivenFulfillment,
): object {
  if (!delivery) return {};
  const ids = lines.flatMap(({ variant_id: id }, index) =>
    delivery.variant_ids.includes(id) ? [`li_${index + 1}`] : [],
  );
  if (ids.length === 0) return { fulfillment: { methods: [] } };
  const { destination_id: id, options, option_id: chosen } = delivery;
  const isNew = version === "2026-08-25";
  const sent = id === null ? null : toDelivery(given)?.address;
  return {
    fulfillment: {
      methods: [
        {
          id: METHOD,
          type: METHOD,
          line_item_ids: ids,
          ...(id !== null && {
            destinations: [{ ...sent, id, ...(isNew && { type: "shipping_address" }) }],
            selected_destination_id: id,
            groups: [
              {
                id: GROUP,
                line_item_ids: ids,
                options: options.map(({ id: optionId, title, description, amount }) => ({
                  id: optionId,
                  title,
                  ...(description && {
                    description: isNew ? { plain: description } : description,
                  }),
                  totals: [{ type: "total", amount: toMinorUnits(amount, currency) }],
                })),
                selected_option_id: chosen,
              },
            ],
          }),
        },
      ],
    },
  };
}

const FIRST_METHOD = "$.fulfillment.methods[0]";
const MESSAGES: Record<DeliveryProblem, UcpMessage> = {
  address_missing: {
    type: "info",
    code: "fulfillment_address_missing",
    content:
      "Delivery options are known for an address. Send one, or the shopper gives it at continue_url.",
    path: FIRST_METHOD,
  },
  address_lost: {
    type: "warning",
    code: "fulfillment_address_missing",
    content: "The address could not be taken over. Send it again.",
    path: FIRST_METHOD,
  },
  no_options: {
    type: "warning",
    code: "fulfillment_no_options",
    content:
      "The storefront names no delivery to this address: it does not ship there, or has prices only at continue_url.",
    path: `${FIRST_METHOD}.groups[0].options`,
  },
  option_missing: {
    type: "info",
    code: "fulfillment_option_missing",
    content: "No delivery option is chosen: its price is not in the total.",
    path: `${FIRST_METHOD}.groups[0].selected_option_id`,
  },
  option_unavailable: {
    type: "warning",
    code: "fulfillment_option_unavailable",
    content: "The option was not chosen: it is none of those for these items and this address.",
    path: `${FIRST_METHOD}.groups[0].selected_option_id`,
  },
  in_parcels: {
    type: "warning",
    code: "fulfillment_in_parcels",
    content: "The store sends several parcels. The shopper chooses their delivery at continue_url.",
    path: `${FIRST_METHOD}.groups[0].options`,
  },
  not_supported: {
    type: "warning",
    code: "fulfillment_not_supported",
    content: "No delivery was chosen. The shopper chooses it at continue_url.",
    path: `${FIRST_METHOD}.groups[0].options`,
  },
};

/** Until the agent has confirmed the checkout: later it can do nothing about it. */
const OPEN = ["incomplete", "requires_escalation", "ready_for_complete"];

export function fulfillmentMessages(
  { delivery, status }: Checkout,
  given?: GivenFulfillment,
): UcpMessage[] {
  const problem = delivery?.problem && OPEN.includes(status) ? MESSAGES[delivery.problem] : null;
  return [...(problem ? [problem] : []), ...unusedMethods(given)];
}

/** Messages about methods other than shipping, and about choices for groups that do not exist. */
function unusedMethods(given: GivenFulfillment): UcpMessage[] {
  return (given?.methods ?? []).flatMap((method, index): UcpMessage[] => {
    const path = `$.fulfillment.methods[${index}]`;
    if (!isShipping(method))
      return [
        {
          type: "warning",
          code: "fulfillment_not_supported",
          content: "Only shipping is offered here. The shopper finds other ways at continue_url.",
          path,
        },
      ];
    return (method.groups ?? []).flatMap(({ id = GROUP }, at): UcpMessage[] =>
      id === GROUP
        ? []
        : [
            {
              type: "warning",
              code: "fulfillment_option_unavailable",
              content: "This checkout has no such group; nothing was chosen in it.",
              path: `${path}.groups[${at}]`,
            },
          ],
    );
  });
}
