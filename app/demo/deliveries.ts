// A month of events on the bus: planned here with every attempt, and played through the bus's own
// enqueue, claim and settlement.
import { claimEvents, claimOne } from "../domain/bus/claims/claim.ts";
import { REQUEST_HOLDER } from "../domain/bus/claims/leases.ts";
import { PermanentFailure, type QueueItem } from "../domain/bus/channel.ts";
import { enqueue, type BusEvent } from "../domain/bus/enqueue.ts";
import { subjectMarks } from "../domain/bus/ledger-subjects.ts";
import { defaultPriority } from "../domain/bus/retry-policy.ts";
import { settlerOf, type Settlement, type Settler } from "../domain/bus/settle.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { putKey } from "../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../runtime/database/kv-keys.ts";
import { DAY_MS } from "./calendar.ts";
import { findUserIds, slicesOf, timeOf, type Demo } from "./demo.ts";
import { planAttempts, toFailure, type DemoAttempt } from "./attempts.ts";
import type { DemoCustomer, DemoOrder } from "./people.ts";
import { createDice, type Dice } from "./random.ts";

const SEED = 5_150;
/** The stores keep delivered events for 30 days. */
const DAYS = 29;
const SLICE = 40;
const HOLDER = `${REQUEST_HOLDER}demo`;
/** Events of these newest days keep their message too, as it was sent. */
const DAYS_WITH_MESSAGES = 3;
/** A row rests for this time before its next simulated attempt, so that no worker takes it. */
const PAUSE_MS = 3_600_000;
/** The sweep has made all of its own attempts. */
const SWEEPS_DONE = 3;

type DemoDelivery = { channel: string; attempts: DemoAttempt[] };
type DemoEvent = {
  event: BusEvent & { receivedAt: NonNullable<BusEvent["receivedAt"]> };
  deliveries: DemoDelivery[];
};

/** One attempt of a delivery; `item`: its row, when it is claimed already. */
type Play = { at: Date; target: QueueItem; attempt: DemoAttempt; item: QueueItem | null };

/**
 * In the order of time, as the delivery log shows them: a retry comes after what happened before it.
 * Safe to repeat: what is on the bus is left alone, and the rest is added.
 */
export async function playDeliveries(demo: Demo): Promise<void> {
  const { ctx, tenant, signal } = demo;
  const data = dataOf(ctx, tenant);
  const events = planEvents(demo, await findUserIds(demo));
  // The merchant had these alerts at the time.
  for (const channel of new Set(events.flatMap(deadChannels)))
    await putKey(data.sql, KEYS.deadLetterAlert(channel), true, TTL_SECONDS.deadLetterAlert);
  let waiting: Play[] = [];
  const slices = slicesOf(events, SLICE);
  for (const [index, slice] of slices.entries()) {
    signal.throwIfAborted();
    // Rows and claims commit together, so that no worker ever sees an unclaimed one.
    const items = await data.transaction(async (sql) => {
      for (const { event } of slice) await enqueue(sql, event);
      return claimEvents(sql, {
        eventIds: slice.map(({ event }) => event.eventId),
        holder: HOLDER,
      });
    });
    waiting.push(...items.flatMap((item) => playsOf(slice, item)));
    const next = slices[index + 1]?.[0]?.event.receivedAt;
    const isDue = ({ at }: Play) => next === undefined || at < next;
    const due = waiting.filter(isDue).sort((a, b) => a.at.getTime() - b.at.getTime());
    waiting = waiting.filter((play) => !isDue(play));
    for (const round of roundsOf(due)) await playRound(demo, round);
    await markSwept(demo, due);
  }
}

const deadChannels = ({ deliveries }: DemoEvent): string[] =>
  deliveries.flatMap(({ channel, attempts }) =>
    attempts.some(({ end }) => end === "dead_letter") ? [channel] : [],
  );

function playsOf(events: readonly DemoEvent[], target: QueueItem): Play[] {
  const attempts = events
    .find(({ event }) => event.eventId === target.eventId)
    ?.deliveries.find(({ channel }) => channel === target.channel)?.attempts;
  return (attempts ?? []).slice(target.retryCount).map((attempt, index) => ({
    at: attempt.at,
    target,
    attempt,
    item: index === 0 ? target : null,
  }));
}

/** Consecutive attempts of different deliveries, which are settled at once. */
function roundsOf(plays: readonly Play[]): Play[][] {
  const rounds: Play[][] = [];
  let taken = new Set<number>();
  for (const play of plays) {
    const round = rounds.at(-1);
    if (round && !taken.has(play.target.queueId)) round.push(play);
    else {
      rounds.push([play]);
      taken = new Set();
    }
    taken.add(play.target.queueId);
  }
  return rounds;
}

async function playRound(demo: Demo, round: readonly Play[]): Promise<void> {
  const settler = settlerOf(demo.ctx.regions.get(demo.tenant.region));
  const { sql } = dataOf(demo.ctx, demo.tenant);
  const items = await Promise.all(
    round.map(async ({ target: { eventId, channel }, attempt, item: claimed }) => {
      const item = claimed ?? (await claimOne(sql, { eventId, channel, holder: HOLDER }));
      if (item && (isRecent(demo, item) || attempt.end === "dead_letter"))
        await keepMessage(demo, settler, item);
      return item;
    }),
  );
  // A group commit writes them in this order.
  await Promise.all(
    round.map(async ({ attempt, at }, index) => {
      const item = items[index];
      if (item) await settler.settle(item, toSettlement(attempt), { at: timeOf(demo, at) });
    }),
  );
}

async function markSwept({ ctx, tenant }: Demo, plays: readonly Play[]): Promise<void> {
  await dataOf(ctx, tenant).prisma.integrationQueue.updateMany({
    where: { event_id: { in: plays.map(({ target }) => target.eventId) }, status: "dead_letter" },
    data: { sweep_count: SWEEPS_DONE },
  });
}

const isRecent = ({ calendar }: Demo, { createdAt }: QueueItem): boolean =>
  calendar.end.getTime() - createdAt.getTime() < DAYS_WITH_MESSAGES * DAY_MS;

/** What the channel makes of the event today; nothing where it would refuse the event. */
async function keepMessage(
  { ctx, tenant, channels }: Demo,
  settler: Settler,
  item: QueueItem,
): Promise<void> {
  try {
    const message = await channels
      .find(({ name }) => name === item.channel)
      ?.transform(ctx, tenant, item);
    if (message) await settler.ready(item, message);
  } catch (error) {
    if (!(error instanceof PermanentFailure)) throw error;
  }
}

function toSettlement({ end, httpStatus, latencyMs, error }: DemoAttempt): Settlement {
  const answer = { httpStatus, latencyMs };
  switch (end) {
    case "delivered":
      return { to: "delivered", ...answer, note: null, isArchived: true };
    case "retry":
      return { to: "retry", ...answer, delayMs: PAUSE_MS, error };
    case "dead_letter":
      return { to: "dead_letter", ...answer, isSweepable: true, error };
  }
}

function planEvents(demo: Demo, userIds: ReadonlyMap<string, number>): DemoEvent[] {
  const dice = createDice(SEED);
  const since = new Date(demo.calendar.end.getTime() - DAYS * DAY_MS);
  const planned = demo.customers.flatMap((customer) => {
    const userId = userIds.get(customer.gid);
    return userId === undefined ? [] : planCustomerEvents(demo, dice, customer, userId);
  });
  const events = planned
    .filter(({ event }) => event.receivedAt >= since && event.receivedAt <= demo.calendar.end)
    .sort((a, b) => a.event.receivedAt.getTime() - b.event.receivedAt.getTime());
  return withRejections(events);
}

function planCustomerEvents(
  demo: Demo,
  dice: Dice,
  customer: DemoCustomer,
  userId: number,
): DemoEvent[] {
  const about = (eventType: string, cause: string) => ({
    source: cause === "storefront_webhook" ? "storefront" : "backend",
    eventType,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause },
  });
  const mirrored = ["cms", "web_analytics", "profile_platform"];
  const events = [
    plan(demo, dice, customer.joinedAt, about("customer.created", "storefront_webhook"), mirrored),
  ];
  if (customer.origin === "signup")
    events.push(
      plan(demo, dice, customer.joinedAt, about("customer.signed_up", "email_signup"), [
        ...mirrored,
        "storefront",
      ]),
      plan(demo, dice, customer.joinedAt, toMail(userId), ["email"]),
    );
  for (const order of customer.orders)
    events.push(
      plan(demo, dice, order.at, toOrderEvent(customer, order), ["erpsys", "web_analytics"]),
      plan(demo, dice, order.at, about("customer.updated", "storefront_webhook"), mirrored),
    );
  if (customer.unsubscribedAt)
    events.push(
      plan(
        demo,
        dice,
        customer.unsubscribedAt,
        about("customer.consent_updated", "consent_update"),
        ["web_analytics"],
      ),
    );
  return events;
}

const toMail = (userId: number) => ({
  source: "backend",
  eventType: "mail.verify_email",
  entityType: "customer",
  entityId: String(userId),
  payload: { user_id: userId, template: "verify_email" },
  priority: 2,
});

/** The event that the store's webhook of an order makes. */
function toOrderEvent(customer: DemoCustomer, order: DemoOrder) {
  return {
    source: "storefront",
    eventType: "order.created",
    entityType: "order",
    entityId: order.gid,
    payload: {
      admin_graphql_api_id: order.gid,
      name: order.name,
      created_at: order.at.toISOString(),
      currency: "EUR",
      total_price: order.total.toFixed(2),
      customer: { admin_graphql_api_id: customer.gid },
      line_items: order.lines.map(({ sku, quantity, price }) => ({
        sku,
        quantity,
        price: price.toFixed(2),
      })),
    },
  };
}

function plan(
  demo: Demo,
  dice: Dice,
  at: Date,
  about: Pick<
    BusEvent,
    "source" | "eventType" | "entityType" | "entityId" | "payload" | "priority"
  >,
  channels: readonly string[],
): DemoEvent {
  const { ctx, tenant, calendar } = demo;
  const destinations = channels.filter((name) =>
    demo.channels.some((channel) => channel.name === name),
  );
  const priority = about.priority ?? defaultPriority(about.entityType);
  return {
    event: {
      ...about,
      eventId: dice.uuid(),
      occurredAt: at,
      receivedAt: timeOf(demo, at),
      destinations,
      subjects: subjectMarks(ctx, tenant.shop, JSON.stringify(about.payload)),
    },
    deliveries: destinations.map((channel) => ({
      channel,
      attempts: planAttempts(dice, calendar, { channel, at, priority }),
    })),
  };
}

/** Some deliveries of the last days failed for good, each for a reason that a person has to mend. */
function withRejections(events: DemoEvent[]): DemoEvent[] {
  const rejections = [
    { channel: "cms", httpStatus: 422, error: "cms: status 422" },
    { channel: "erpsys", httpStatus: null, error: "missing required field: kunnr" },
    { channel: "profile_platform", httpStatus: 401, error: "profile_platform: status 401" },
    { channel: "cms", httpStatus: 422, error: "cms: status 422" },
  ];
  let from = events.length;
  for (const { channel, httpStatus, error } of rejections) {
    from = events.findLastIndex(
      ({ deliveries }, index) =>
        index < from - 6 && deliveries.some((one) => one.channel === channel),
    );
    const delivery = events[from]?.deliveries.find((one) => one.channel === channel);
    const at = delivery?.attempts[0]?.at;
    if (delivery && at) delivery.attempts = [toFailure(at, { httpStatus, error })];
  }
  return events;
}
