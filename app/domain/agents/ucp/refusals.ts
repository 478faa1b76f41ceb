// The reasons of a refused request, as UCP's messages: one for each wrong field, with its path.
import type { AppError } from "../../../runtime/errors.ts";
import type { CartLine } from "../carts.ts";
import { errorMessage, type UcpMessage } from "./envelope.ts";
import { deliveryPath, type GivenFulfillment } from "./fulfillment.ts";

/** Where UCP has a field of `AppError.fields`; undefined for a field that UCP has at no path. */
export type PathOf = (field: string) => string | undefined;

/** Our codes that have a standard name in UCP (schemas/common/types/error_code.json). */
const UCP_CODES: Record<string, string> = { items_unavailable: "item_unavailable" };

const MAX_MESSAGES = 10;

const codeOf = ({ code, details }: AppError): string =>
  code === "mandate_refused" ? `mandate_${String(details.reason)}` : (UCP_CODES[code] ?? code);

export function refusalMessages(error: AppError, pathOf: PathOf = () => undefined): UcpMessage[] {
  const severity = error.status === 404 ? "unrecoverable" : "recoverable";
  const toMessage = (content: string, path?: string) =>
    errorMessage(codeOf(error), content, severity, path);
  const { path, unavailable } = error.details;
  if (typeof path === "string") return [toMessage(error.message, path)];
  const paths = Array.isArray(unavailable)
    ? unavailable.flatMap((id) => pathOf(`unavailable.${String(id)}`) ?? [])
    : [];
  if (paths.length > 0)
    return paths.slice(0, MAX_MESSAGES).map((one) => toMessage(error.message, one));
  const fields = Object.entries(error.fields ?? {}).slice(0, MAX_MESSAGES);
  if (fields.length === 0) return [toMessage(error.message)];
  return fields.map(([field, problem]) => {
    const at = pathOf(field);
    return toMessage(`${(at ?? field).split(".").pop()} ${problem}.`, at);
  });
}

type GivenCheckout = {
  line_items?: readonly { item: { id: string } }[];
  fulfillment?: GivenFulfillment;
};

/**
 * Returns the path, in a UCP checkout, of a field that `/commerce/checkout` names. `lines`: the
 * request's lines, with equal items joined.
 */
export const checkoutPath =
  ({ line_items: items = [], fulfillment }: GivenCheckout, lines: readonly CartLine[]): PathOf =>
  (field) => {
    const [first, ...rest] = field.split(".");
    const lineOf = (variantId: string | undefined): string | undefined => {
      const index = items.findIndex(({ item }) => item.id === variantId);
      return index < 0 ? undefined : `$.line_items[${index}]`;
    };
    if (first === "unavailable") return lineOf(rest.join("."));
    if (first === "delivery") return deliveryPath(fulfillment, rest);
    if (first === "line_items") {
      const line = lineOf(lines[Number(rest[0])]?.variantId);
      return line && `${line}.${rest[1] === "variant_id" ? "item.id" : rest[1]}`;
    }
    return first === "mandate_id" ? "$.mandate_id" : undefined;
  };
