// Helpers for agents' checkouts.
import { registerWebhooks } from "../../../app/domain/tenants/storefront/webhook-registration.ts";
import { asAgent, consent, newShopper, openStore, variantOf, type Shopper } from "./commerce.ts";
import { eventually, OTHER_SHOP, SHOP, type Answer, type Service } from "../service.ts";

export type Shelf = { camera: string; cameraProduct: string; lamp: string; lanternRed: string };

/**
 * Two stores with products; the first one's cart API is open and its order webhooks are registered.
 */
export async function seedProducts(service: Service): Promise<Shelf> {
  for (const shop of [SHOP, OTHER_SHOP]) await openStore(service, shop);
  await service.call("POST", `/config?shop=${SHOP}`, {
    body: { storefront_api_token: "public-token-of-the-store" },
  });
  await registerWebhooks(service.ctx, SHOP);
  const camera = await variantOf(service, "CAM-9");
  return {
    camera: camera.id,
    cameraProduct: camera.productId,
    lamp: (await variantOf(service, "LMP-1")).id,
    lanternRed: (await variantOf(service, "LAN-R")).id,
  };
}

/** Matches the cart API's address, not the Admin API's; for faults. */
export const CART_API = /myshopify\.com\/api\//;

/** The cart API rejects every call: checkouts become draft orders. */
export const closeCarts = (service: Service): void =>
  service.sandbox.failNext("storefront", { status: 403, match: CART_API }, 1_000);
export const openCarts = (service: Service): void => service.sandbox.clearFaults();

/** A shopper who allows agents to act and to pay. */
export async function newPayer(service: Service): Promise<Shopper> {
  const shopper = await newShopper(service);
  await consent(service, shopper, { consent_a2a: true, consent_ap2: true });
  return shopper;
}

export const itemsOf = (variant: string, quantity = 1) => [{ variant_id: variant, quantity }];

export const makeCheckout = (
  service: Service,
  person: Shopper,
  body: object,
  headers: Record<string, string> = {},
): Promise<Answer> => asAgent(service, person, "POST", "/commerce/checkout", { body, headers });

export const act = (
  service: Service,
  person: Shopper,
  id: string,
  verb: "update" | "complete" | "cancel",
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> =>
  asAgent(service, person, "POST", `/commerce/checkout/${id}/${verb}`, { body, headers });

export async function newMandate(
  service: Service,
  person: Shopper,
  body: object = {},
): Promise<string> {
  const answer = await asAgent(service, person, "POST", "/commerce/mandates", {
    body: { max_amount: "100.00", currency: "EUR", scope: "all", ...body },
  });
  if (answer.status !== 201) throw new Error(`no mandate: ${answer.text}`);
  return answer.json.mandate_id;
}

export const mandateRow = async (service: Service, id: string): Promise<any> =>
  (
    await service.database.query(
      "SELECT spent_amount, reserved_amount, reservations, status FROM mandates WHERE mandate_id = $1",
      [id],
    )
  )[0];

/** What a mandate's row says before anything is bought with it. */
export const UNTOUCHED = { spent_amount: "0.00", reserved_amount: "0.00", reservations: 0 };

/** An answer as `refusedMandate` says it. */
export const reasonOf = ({ status, json }: { status: number; json: any }) => [
  status,
  json.error,
  json.code,
  json.reason,
];
/** The answer to a checkout that its mandate does not cover. */
export const refusedMandate = (reason: string) => [403, "Forbidden", "mandate_refused", reason];

export const checkoutAs = async (service: Service, id: string): Promise<any> =>
  (await service.call("GET", `/commerce/checkout/${id}?shop=${SHOP}`)).json;

/** Waits until the order's webhook is processed. */
export const completed = (service: Service, id: string): Promise<any> =>
  eventually("the checkout completed", async () => {
    const checkout = await checkoutAs(service, id);
    return checkout.status === "completed" && checkout;
  });

/** Moves the checkout's expiry (six hours) into the past. */
export const expireNow = (service: Service, id: string) =>
  service.database.query(
    "UPDATE checkout_sessions SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1",
    [id],
  );

/** The variables sent to the storefront with this operation, oldest first. */
export const sentAs = (service: Service, operation: string): any[] =>
  service.sandbox
    .requests("storefront")
    .map(({ body }) => (typeof body === "string" ? JSON.parse(body) : body))
    .filter((body) => typeof body?.query === "string" && body.query.includes(` ${operation}(`))
    .map(({ variables }) => variables);
