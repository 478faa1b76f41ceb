// Requests that began while the store was in its old cell, and write when it is in the new one and the old one has
// none of its rows: they wait for their body, for the storefront, or for an identity provider.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { requestMove } from "../../../app/domain/tenants/moves/request-move.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  act,
  CART_API,
  itemsOf,
  makeCheckout,
  newMandate,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asAgent, type Shopper } from "../../support/agents/commerce.ts";
import {
  approve,
  begin,
  errorOf,
  followCallback,
  putPerson,
  sessionOf,
} from "../../support/browser/sign-in-journey.ts";
import { signUp } from "../../support/consent.ts";
import type { TestDatabase } from "../../support/database.ts";
import { startCells, untilEnded, type Cells } from "../../support/moves.ts";
import { postLate } from "../../support/raw-request.ts";
import { eventually, SHOP } from "../../support/service.ts";

let cells: Cells;
let worker: Awaited<ReturnType<typeof startMoveWorker>>;
let shelf: Shelf;
let shopper: Shopper;
/** Called when everything is copied, and when the store's writes are refused until it has changed its cell. */
let beforeBarrier: () => Promise<unknown> = async () => {};
let inBarrier: () => Promise<unknown> = async () => {};

beforeAll(async () => {
  cells = await startCells({ env: { WORKER_POLL_MS: "50" } });
  worker = await startMoveWorker(cells.service.ctx, {
    async reached(step) {
      if (step === "barrier") await beforeBarrier();
      if (step === "sealed") await inBarrier();
    },
  });
  shelf = await seedProducts(cells.service);
  shopper = await newPayer(cells.service);
});
afterAll(async () => {
  await worker.stop();
  await cells.stop();
});
const region = async () => (await getTenant(cells.service.ctx, SHOP)).region;

/** `begun` resolves once the request is under way. */
type Held<T> = { begun: Promise<unknown>; goOn(): void; answer: Promise<T> };

async function whileMoving<T>(
  begin: () => Held<T>,
  goesOn:
    "in the barrier" | "from a refused write in the barrier" | "after the move" = "after the move",
): Promise<T> {
  const { service, eu } = cells;
  const [source, to] = (await region()) === "eu" ? [eu, "default"] : [service.database, "eu"];
  let held: Held<T> | null = null;
  beforeBarrier = async () => {
    held ??= begin();
    await held.begun;
  };
  inBarrier = async () => {
    if (goesOn === "after the move") return;
    const [row] = await source.query<{ now: string }>("SELECT now()::text AS now");
    held?.goOn();
    if (goesOn === "in the barrier") await held?.answer;
    else await eventually("a refused write", () => hasRolledBack(source, row?.now));
  };
  const { id } = await requestMove(service.ctx, SHOP, to);
  expect(await untilEnded(service, id)).toMatchObject({ state: "done" });
  const { goOn, answer } = held as unknown as Held<T>;
  goOn();
  return answer;
}

const hasRolledBack = async (database: TestDatabase, since: string | undefined) =>
  (
    await database.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query = 'ROLLBACK' AND query_start > $1",
      [since],
    )
  ).length > 0;

/** The system answers the next matching request when it may. */
function heldBy<T>(
  system: "storefront" | "federated",
  match: RegExp,
  send: () => Promise<T>,
): Held<T> {
  let goOn!: () => void;
  const replyAfter = new Promise<void>((resolve) => (goOn = resolve));
  const requests = () =>
    cells.service.sandbox.requests(system).filter(({ path }) => match.test(path)).length;
  const before = requests();
  cells.service.sandbox.failNext(system, { replyAfter, match });
  const answer = send();
  return { goOn, answer, begun: eventually("the held request", () => requests() > before) };
}

/** A client that sends its body late. */
function heldByBody(
  path: string,
  body: object,
  token?: string,
): Held<{ status: number; text: string }> {
  const { service } = cells;
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const { sendBody, answer } = postLate(`${service.url}${path}?shop=${SHOP}`, body, headers);
  // Answered after the store of the request that was sent first was looked up.
  const begun = service.call("GET", `/config?shop=${SHOP}`);
  return { goOn: sendBody, answer, begun };
}

/** Shorter than the lease of a request that ended without an answer. */
const SOON_MS = 5_000;

test("a checkout is made in the new cell, once for its key", async () => {
  const { service } = cells;
  const mandate_id = await newMandate(service, shopper);
  const key = { "Idempotency-Key": "of-the-creation" };
  const send = () =>
    makeCheckout(service, shopper, { line_items: itemsOf(shelf.camera), mandate_id }, key);
  const made = await whileMoving(() => heldBy("storefront", CART_API, send));
  expect([made.status, made.json.mandate_id]).toEqual([201, mandate_id]);
  const again = await send();
  expect([again.status, again.json.id]).toEqual([201, made.json.id]);
});

test("a checkout that is refused while the store changes its cell is made by the repetition of its request", async () => {
  const { service } = cells;
  const key = { "Idempotency-Key": "of-the-refused-one" };
  const send = () => makeCheckout(service, shopper, { line_items: itemsOf(shelf.lamp) }, key);
  const refused = await whileMoving(() => heldBy("storefront", CART_API, send), "in the barrier");
  expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
    503,
    "store_moving",
    "1",
  ]);
  const made = async () => (await send()).status === 201;
  await eventually("the checkout", made, SOON_MS);
});

test("a checkout whose mandate ended is refused while the store changes its cell, and its repetition is answered", async () => {
  const { service } = cells;
  const mandate_id = await newMandate(service, shopper);
  const key = { "Idempotency-Key": "of-the-ended-mandate" };
  const send = () =>
    makeCheckout(service, shopper, { line_items: itemsOf(shelf.lamp), mandate_id }, key);
  const revoke = () => asAgent(service, shopper, "DELETE", `/commerce/mandates/${mandate_id}`);
  const refused = await whileMoving(() => {
    const held = heldBy("storefront", CART_API, send);
    return { ...held, begun: held.begun.then(revoke) };
  }, "in the barrier");
  expect([refused.status, refused.json.reason]).toEqual([403, "revoked"]);
  const isAnswered = async () => (await send()).json.reason === "revoked";
  await eventually("the answer to the repetition", isAnswered, SOON_MS);
});

test("a checkout is confirmed in the new cell", async () => {
  const { service } = cells;
  const mandate_id = await newMandate(service, shopper);
  const items = itemsOf(shelf.camera);
  const { json } = await makeCheckout(service, shopper, { line_items: items, mandate_id });
  const key = { "Idempotency-Key": "of-the-completion" };
  const complete = () => act(service, shopper, json.id, "complete", {}, key);
  const done = await whileMoving(() => heldBy("storefront", CART_API, complete));
  expect([done.status, done.json.status]).toEqual([200, "complete_in_progress"]);
});

test.each(["from a refused write in the barrier", "after the move"] as const)(
  "a sign-in with an identity provider that goes on %s signs in",
  async (goesOn) => {
    const { service } = cells;
    const sub = putPerson(service, "federated", `grace-${crypto.randomUUID()}@example.com`);
    const journey = await begin(service, "federated", { return_to: "/account" });
    const callback = await approve(journey, sub);
    const back = await whileMoving(
      () => heldBy("federated", /token/, () => followCallback(service, callback, journey.cookie)),
      goesOn,
    );
    expect([errorOf(back), sessionOf(back) === null]).toEqual([null, false]);
  },
);

test("a sign-in with the right password succeeds while the store moves", async () => {
  const { email } = await signUp(cells.service, { email: "late@example.com" });
  const signedIn = await whileMoving(() =>
    heldByBody("/auth/login", { email, password: "correct horse" }),
  );
  expect([signedIn.status, signedIn.text]).toEqual([200, expect.stringContaining(email)]);
});

test("a consent is recorded in the new cell, and the session is not refused", async () => {
  const { service } = cells;
  const body = { method: "banner", consent_marketing: true };
  const synced = await whileMoving(() => heldByBody("/auth/consent-sync", body, shopper.token));
  expect([synced.status, JSON.parse(synced.text).recorded]).toEqual([
    200,
    [{ consent_type: "marketing", action: "granted" }],
  ]);
  const database = (await region()) === "eu" ? cells.eu : service.database;
  expect(
    await database.query(
      "SELECT action FROM consent_records WHERE user_id = $1 AND consent_type = 'marketing'",
      [shopper.id],
    ),
  ).toEqual([{ action: "granted" }]);
});
