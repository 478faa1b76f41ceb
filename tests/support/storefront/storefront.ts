// A test's actions on a store: install the app as a merchant does, connect it directly, send a
// webhook and wait until it is handled.
import { eventually, SHOP, type Answer, type Service } from "../service.ts";

/** A token pair saved through the configuration endpoint. */
export async function connectStore(
  service: Service,
  shop = SHOP,
  fields: Record<string, unknown> = {},
): Promise<{ accessToken: string; refreshToken: string }> {
  const pair = service.sandbox.storefront.install(shop);
  const refreshToken = pair.refresh_token as string;
  await service.addTenant(shop, {
    storefront_admin_token: pair.access_token,
    storefront_refresh_token: refreshToken,
    storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    ...fields,
  });
  return { accessToken: pair.access_token, refreshToken };
}

export type BegunInstall = { callback: URL; cookie: string; location: URL; setCookie: string };

/**
 * Follows `/auth/install` and approves the grant screen; returns the callback address without
 * opening it.
 */
export async function beginInstall(
  service: Service,
  shop = SHOP,
  path = "/auth/install",
): Promise<BegunInstall> {
  const begun = await service.call("GET", `${path}?shop=${shop}`, { key: null });
  const setCookie = begun.headers.get("set-cookie") ?? "";
  const location = new URL(begun.headers.get("location") ?? "");
  const question = new URL(location);
  question.searchParams.set("auto", "1");
  const answered = await fetch(question, { redirect: "manual" });
  return {
    callback: new URL(answered.headers.get("location") ?? ""),
    cookie: setCookie.split(";", 1)[0] as string,
    location,
    setCookie,
  };
}

export function openCallback(
  service: Service,
  callback: URL,
  cookie: string | null,
): Promise<Answer> {
  return service.call("GET", callback.pathname + callback.search, {
    key: null,
    headers: cookie === null ? {} : { cookie },
  });
}

export async function install(service: Service, shop = SHOP): Promise<void> {
  const { callback, cookie } = await beginInstall(service, shop);
  const answer = await openCallback(service, callback, cookie);
  if (answer.status !== 302) throw new Error(`${shop} could not be installed: ${answer.text}`);
}

let deliveries = 0;

export type Delivery = {
  shop?: string;
  id?: string;
  at?: string;
  headers?: Record<string, string>;
};

/** Sends a webhook with a new delivery id. */
export async function send(
  service: Service,
  slug: string,
  raw: string,
  { shop = SHOP, id = `delivery-${(deliveries += 1)}`, at, headers = {} }: Delivery = {},
): Promise<string> {
  const answer = await service.webhook(slug, raw, {
    shop,
    headers: {
      "X-Shopify-Webhook-Id": id,
      ...(at && { "X-Shopify-Triggered-At": at }),
      ...headers,
    },
  });
  if (answer.status !== 200)
    throw new Error(`the webhook was answered ${answer.status}: ${answer.text}`);
  return id;
}

export async function untilHandled(service: Service, id: string): Promise<void> {
  await eventually(
    `delivery ${id} handled`,
    async () =>
      (
        await service.database.query(
          "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'done'",
          [id],
        )
      ).length === 1,
  );
}

/**
 * Waits for what the service writes to the platform after a store was configured or installed: it changes the
 * store's record and deletes the requests for it.
 */
export const storeRequestsAreSettled = (service: Service): Promise<unknown> =>
  eventually(
    "the store's requests settled",
    async () =>
      (await service.database.query("SELECT 1 FROM kv WHERE key ~ '^[a-z]+_request:'")).length ===
      0,
  );

/**
 * Waits until every webhook is processed; reports the remaining ones and their errors on timeout.
 */
export async function inboxIsWorked(service: Service): Promise<void> {
  const left = () =>
    service.database.query(
      `SELECT shop, topic, status, attempts, last_error,
        next_attempt_at - clock_timestamp() AS due_in FROM webhook_inbox WHERE status <> 'done'`,
    );
  // A second attempt may come after 10 s.
  await eventually("the webhooks worked", async () => (await left()).length === 0, 40_000).catch(
    async (error: unknown) => {
      throw new Error(`${String(error)}; left: ${JSON.stringify(await left())}`);
    },
  );
}

/** Sends a webhook and waits until its effect is stored. */
export async function deliver(
  service: Service,
  slug: string,
  raw: string,
  delivery: Delivery = {},
): Promise<void> {
  await untilHandled(service, await send(service, slug, raw, delivery));
}
