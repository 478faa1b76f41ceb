// Privacy requests in every state. The finished ones are of customers who are no longer there; the
// open ones wait, and the privacy worker takes them when their time comes.
import {
  finishPrivacyRequest,
  sealSubject,
  type FinalState,
  type PrivacyKind,
} from "../domain/compliance/requests/privacy-requests.ts";
import {
  recordSteps,
  type StepName,
  type StepResult,
} from "../domain/compliance/requests/request-steps.ts";
import { subjectKey, type Subject } from "../domain/compliance/subject.ts";
import { dataOf, type Tenant } from "../domain/tenants/tenant.ts";
import { DAY_MS, HOUR_MS } from "./calendar.ts";
import type { Demo } from "./demo.ts";
import { createDice, type Dice } from "./random.ts";

const SEED = 30;
const DUE_DAYS = 30;

type Plan = {
  kind: Exclude<PrivacyKind, "shop_redact">;
  daysAgo: number;
} & (
  | { state: FinalState; evidence: Record<string, unknown>; error?: string }
  | { state: "received"; attempts: number; error?: string }
  | { state: "running" }
);

const EXPORTED = {
  exported: { account: 1, consents: 6, tags: 3, orders: 2, deliveries: 11 },
  mailed: "store_email",
};
const ERASED = {
  passes: 2,
  erased: { storefront_users: 1, user_tag_map: 3, integration_queue: 9, delivery_attempts: 9 },
  profiles: 1,
  looked: { accounts: 1, addresses: 1, phones: 0, names: 1 },
  residual: 0,
  consent_records_kept: 5,
};

const PLANS: readonly Plan[] = [
  { kind: "customer_redact", daysAgo: 68, state: "done", evidence: ERASED },
  { kind: "data_request", daysAgo: 47, state: "done", evidence: EXPORTED },
  { kind: "customer_redact", daysAgo: 34, state: "done", evidence: ERASED },
  {
    kind: "customer_redact",
    daysAgo: 23,
    state: "retained",
    evidence: {
      ...ERASED,
      residual: 1,
      kept_because: ["event_ledger is append-only or the merchant's own words"],
    },
  },
  { kind: "data_request", daysAgo: 18, state: "done", evidence: EXPORTED },
  {
    kind: "data_request",
    daysAgo: 12,
    state: "failed",
    evidence: {},
    error: "storefront: status 402",
  },
  { kind: "customer_redact", daysAgo: 5, state: "received", attempts: 3, error: "cms: status 503" },
  { kind: "customer_redact", daysAgo: 1, state: "running" },
  { kind: "data_request", daysAgo: 0, state: "received", attempts: 0 },
];

/** Safe to repeat: the same requests under the same delivery ids. */
export async function makePrivacyRequests(demo: Demo): Promise<void> {
  const dice = createDice(SEED);
  for (const [index, plan] of PLANS.entries()) await makeRequest(demo, dice, plan, index);
}

async function makeRequest(
  { ctx, tenant, customers, calendar }: Demo,
  dice: Dice,
  plan: Plan,
  index: number,
): Promise<void> {
  // *Try now* on the screen needs the person.
  const isUnfinished = ["received", "running", "failed"].includes(plan.state);
  const customer = customers[40 + index * 13];
  const subject: Subject =
    isUnfinished && customer
      ? { gid: customer.gid, email: customer.email }
      : { email: `former.customer${index + 1}@example.com` };
  const receivedAt = new Date(
    calendar.end.getTime() - plan.daysAgo * DAY_MS - dice.int(1, 40) * (HOUR_MS / 20),
  );
  const sealed = isUnfinished ? sealSubject(ctx, tenant.shop, subject) : {};
  const deliveryId = `${plan.kind}:${dice.uuid()}`;
  const token = dice.uuid();
  const { transaction } = dataOf(ctx, tenant);
  await transaction(async (sql, prisma) => {
    if ((await prisma.privacyRequest.count({ where: { delivery_id: deliveryId } })) > 0) return;
    const { id } = await prisma.privacyRequest.create({
      data: {
        shop: tenant.shop,
        kind: plan.kind,
        delivery_id: deliveryId,
        external_id: String(dice.int(10_000_000, 99_999_999)),
        subject_hmac: subjectKey(ctx, tenant.shop, subject),
        payload: sealed,
        triggered_at: receivedAt,
        received_at: receivedAt,
        due_by: new Date(receivedAt.getTime() + DUE_DAYS * DAY_MS),
        ...stateOf(plan, calendar.end, token),
      },
      select: { id: true },
    });
    if (plan.state === "received" || plan.state === "running") return;
    const request = heldRequest(tenant, plan, { id, receivedAt, token });
    await recordSteps(ctx, sql, request, stepsOf(plan), { endedAt: receivedAt });
    await finishPrivacyRequest(sql, request, plan);
    await prisma.privacyRequest.updateMany({
      where: { id },
      data: {
        payload: sealed,
        completed_at: new Date(receivedAt.getTime() + dice.int(2, 40) * 1_000),
      },
    });
  });
}

/** Finished ones begin as held ones, and are then finished by the worker's own function. */
function stateOf(plan: Plan, today: Date, token: string) {
  const later = (hours: number) => new Date(today.getTime() + hours * HOUR_MS);
  if (plan.state === "received")
    return {
      state: "received",
      attempts: plan.attempts,
      last_error: plan.error ?? null,
      next_attempt_at: later(12),
    };
  return {
    state: "running",
    attempts: 1,
    attempt_token: token,
    locked_until: later(plan.state === "running" ? 24 : 1),
  };
}

const heldRequest = (
  { shop }: Tenant,
  { kind }: Plan,
  { id, receivedAt, token }: { id: number; receivedAt: Date; token: string },
) => ({
  home: shop,
  shop,
  id,
  kind,
  externalId: null,
  payload: {},
  evidence: {},
  triggeredAt: receivedAt,
  receivedAt,
  dueBy: new Date(receivedAt.getTime() + DUE_DAYS * DAY_MS),
  attempts: 1,
  token,
  isByHand: false,
  steps: {},
});

/** What the worker records of such a request. */
function stepsOf(
  plan: Extract<Plan, { state: FinalState }>,
): Partial<Record<StepName, StepResult>> {
  // Nothing was exported: a request with a copy would offer its download.
  if (plan.kind === "data_request" && plan.state === "failed") return {};
  if (plan.kind === "data_request")
    return {
      tables: { outcome: "exported", count: 23 },
      archive: { outcome: "stored", count: 1 },
      mail: { outcome: "mailed", count: 1 },
    };
  return {
    tables: { outcome: "erased", count: 4 },
    storefront: { outcome: "by_store" },
    queue: { outcome: "erased", count: 18 },
    cms: { outcome: "erased", count: 1 },
    profile_platform: { outcome: "erased", count: 1 },
    web_analytics: { outcome: "pseudonymous" },
    archive: { outcome: "erased", count: 9 },
    search:
      plan.state === "retained" ? { outcome: "kept", count: 1 } : { outcome: "proven", count: 61 },
  };
}
