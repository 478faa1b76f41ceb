// Agents that act for some customers, and payment mandates in every state. Some were disconnected
// again: by their shopper, or all at once by the merchant.
import { hash } from "node:crypto";
import { DONE, type AgentCall } from "../domain/agent-activity/agent-call.ts";
import type { AgentOperation } from "../domain/agent-activity/operations.ts";
import { flushAgentCalls, recordAgentCall } from "../domain/agent-activity/record-agent-call.ts";
import { endAgent } from "../domain/agents/linked-agents.ts";
import { registerClient } from "../domain/agents/oauth/clients.ts";
import { grantAccess, revokeGrant } from "../domain/agents/oauth/grants.ts";
import { exchangeCode } from "../domain/agents/oauth/tokens.ts";
import { recordMandate } from "../domain/commerce/commerce-events.ts";
import { spend } from "../domain/commerce/mandate-ledger.ts";
import { createMandate, revokeMandate } from "../domain/commerce/mandates.ts";
import { toSubmission } from "../domain/consent/consent-input.ts";
import { findPolicyHash } from "../domain/consent/policies.ts";
import { writeConsents } from "../domain/consent/write/write-consents.ts";
import { findPerson } from "../domain/identity/account.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import { DAY_MS, HOUR_MS } from "./calendar.ts";
import { findUserIds, inHistory, timeOf, type Demo } from "./demo.ts";
import { createDice, type Dice } from "./random.ts";

const SEED = 42_424;
const AGENTS = ["Shopping Scout", "Gift Finder", "Pantry Helper", "Price Watcher"] as const;
/** The merchant disconnected this one from everybody. */
const BANNED = "Price Watcher";
const SHOPPERS = 18;

type MandatePlan = {
  daysAgo: number;
  hours: number;
  amount: string;
  usage: "single" | "multi";
  scope?: string;
  /** The spent part of the amount; all of it for a single use. */
  spent?: string;
  isRevoked?: true;
};

/** One per shopper: active, partly spent, used, revoked and expired ones. */
const MANDATES: readonly MandatePlan[] = [
  { daysAgo: 1, hours: 720, amount: "100.00", usage: "single" },
  { daysAgo: 2, hours: 720, amount: "250.00", usage: "multi", spent: "65.00" },
  { daysAgo: 3, hours: 2_160, amount: "60.00", usage: "single", scope: "collection:outdoor" },
  { daysAgo: 6, hours: 720, amount: "400.00", usage: "multi", spent: "180.00" },
  { daysAgo: 9, hours: 2_160, amount: "80.00", usage: "single" },
  { daysAgo: 4, hours: 72, amount: "60.00", usage: "single", spent: "40.00" },
  { daysAgo: 12, hours: 48, amount: "120.00", usage: "single", spent: "85.00" },
  { daysAgo: 21, hours: 2_160, amount: "90.00", usage: "multi", spent: "90.00" },
  { daysAgo: 33, hours: 24, amount: "50.00", usage: "single", spent: "50.00" },
  { daysAgo: 8, hours: 2_160, amount: "300.00", usage: "multi", isRevoked: true },
  { daysAgo: 27, hours: 4_380, amount: "75.00", usage: "single", isRevoked: true },
  { daysAgo: 10, hours: 24, amount: "45.00", usage: "single" },
  { daysAgo: 19, hours: 72, amount: "150.00", usage: "multi", spent: "25.00" },
  { daysAgo: 40, hours: 168, amount: "200.00", usage: "multi" },
];

type Shopper = { userId: number; userAgent: string; grantId: string; mandateId: string; at: Date };

/** Safe to repeat: an agent, a grant or a mandate that is there is left as it is. */
export async function linkAgents(demo: Demo): Promise<void> {
  const dice = createDice(SEED);
  const clients = new Map<string, string>();
  for (const name of AGENTS) clients.set(name, await ensureClient(demo, name));
  for (const [index, shopper] of (await planShoppers(demo, dice)).entries()) {
    demo.signal.throwIfAborted();
    const name = AGENTS[index % AGENTS.length] as (typeof AGENTS)[number];
    const client = { id: clients.get(name) as string, name };
    const isNew = await linkAgent(demo, shopper, client, index);
    const mandate = MANDATES[index];
    if (mandate) await giveMandate(demo, shopper, client.id, mandate);
    if (!isNew) continue;
    const until = Math.min(
      isEndedEarly(index) ? endOf(shopper).getTime() : Infinity,
      demo.calendar.end.getTime() - (name === BANNED ? 2 * DAY_MS : 0),
    );
    recordCalls(demo, shopper, client.id, { mandate: mandate ?? null, index, until });
  }
  await banAgent(demo, clients.get(BANNED) as string);
  await flushAgentCalls(demo.ctx);
}

/** Disconnected by the shopper. */
const isEndedEarly = (index: number): boolean => index % 7 === 5;
const endOf = ({ at }: Pick<Shopper, "at">): Date => new Date(at.getTime() + 1.5 * DAY_MS);

const redirectUriOf = (name: string) =>
  `https://${name.toLowerCase().replace(" ", "-")}.example/callback`;

async function ensureClient({ ctx, tenant }: Demo, name: string): Promise<string> {
  const known = await dataOf(ctx, tenant).prisma.oauthClient.findFirst({
    select: { client_id: true },
    where: { client_name: name },
  });
  if (known) return known.client_id;
  const metadata = { client_name: name, redirect_uris: [redirectUriOf(name)] };
  return (await registerClient(ctx, tenant, metadata)).client_id;
}

/** Customers who signed in, well before they met an agent. */
async function planShoppers(demo: Demo, dice: Dice): Promise<Shopper[]> {
  const userIds = await findUserIds(demo);
  const end = demo.calendar.end.getTime();
  const candidates = demo.customers.filter(
    ({ lastSignInAt, joinedAt }) => lastSignInAt !== null && joinedAt.getTime() < end - 45 * DAY_MS,
  );
  const step = Math.floor(candidates.length / SHOPPERS);
  return Array.from({ length: SHOPPERS }, (_, index) => {
    const customer = candidates[index * step];
    const [grantId, mandateId] = [dice.uuid(), dice.uuid()];
    const daysAgo = (MANDATES[index]?.daysAgo ?? 5 + index) + 1;
    const at = new Date(end - daysAgo * DAY_MS - dice.int(0, 6) * HOUR_MS);
    const userId = userIds.get(customer?.gid ?? "");
    return customer && userId !== undefined
      ? [{ userId, userAgent: customer.userAgent, grantId, mandateId, at }]
      : [];
  }).flat();
}

async function linkAgent(
  demo: Demo,
  { userId, userAgent, grantId, at }: Shopper,
  client: { id: string; name: string },
  index: number,
): Promise<boolean> {
  const { prisma, sql } = dataOf(demo.ctx, demo.tenant);
  if ((await prisma.oauthGrant.count({ where: { id: grantId } })) > 0) return false;
  const person = await findPerson(sql, userId);
  if (!person) return false;
  const ctx = inHistory(demo.ctx, at, grantId);
  const verifier = demo.ctx.random.bytes(32).toString("base64url");
  const redirectUri = redirectUriOf(client.name);
  const code = await grantAccess(
    ctx,
    demo.tenant,
    { account: person.account },
    {
      client: { ...client, host: null, redirectUris: [redirectUri] },
      scopes: ["identity:read", "dev.ucp.shopping.order:read", "dev.ucp.shopping.checkout:manage"],
      redirectUri,
      isRedirectNamed: true,
      codeChallenge: hash("sha256", verifier, "base64url"),
    },
    { userAgent, gpc: false, at: timeOf(demo, at) },
  );
  await exchangeCode(ctx, demo.tenant, { code, clientId: client.id, redirectUri, verifier });
  const isEnded = isEndedEarly(index);
  const endedAt = endOf({ at });
  if (isEnded) await revokeGrant(inHistory(demo.ctx, endedAt), demo.tenant, userId, grantId);
  await prisma.oauthGrant.updateMany({
    where: { id: grantId },
    data: {
      created_at: at,
      last_used_at: new Date(at.getTime() + DAY_MS),
      ...(isEnded && { ended_at: endedAt }),
    },
  });
  return true;
}

const MINUTE_MS = 60_000;
/** What an agent asks in a visit, a minute apart. */
const VISIT: readonly AgentOperation[] = [
  "get_identity",
  "search_catalog",
  "get_product",
  "create_cart",
  "list_orders",
  "search_catalog",
  "update_cart",
];

/** The agent's visits since it was let in: most days a few calls, now and then a refusal. */
function recordCalls(
  { ctx, tenant }: Demo,
  { userId, mandateId, at }: Shopper,
  clientId: string,
  { mandate, index, until: end }: { mandate: MandatePlan | null; index: number; until: number },
): void {
  const record = (ms: number, call: Omit<AgentCall, "caller">) => {
    if (ms < end)
      recordAgentCall(inHistory(ctx, new Date(ms)), tenant, {
        ...call,
        caller: { clientId, userId },
      });
  };
  const start = at.getTime() + HOUR_MS;
  for (let day = 0; start + day * DAY_MS < end; day += 1 + ((index + day) % 3)) {
    const from = start + day * DAY_MS + ((index * 7 + day * 3) % 9) * HOUR_MS;
    const length = 2 + ((index + day) % (VISIT.length - 1));
    for (const [step, operation] of VISIT.slice(0, length).entries())
      record(from + step * MINUTE_MS, { ...DONE, operation });
    if ((index + day) % 4 === 0)
      record(from + length * MINUTE_MS, {
        operation: "get_return",
        outcome: "refused",
        code: "insufficient_scope",
      });
  }
  if (!mandate) return;
  const of = (amount: string) => ({ amount, currency: "EUR", mandateId });
  record(start, { ...DONE, operation: "create_mandate", money: of(mandate.amount) });
  const { spent } = mandate;
  if (spent === undefined) return;
  const usedAt = start + 5 * HOUR_MS;
  record(usedAt - MINUTE_MS, { ...DONE, operation: "create_checkout", money: of(spent) });
  record(usedAt, { ...DONE, operation: "pay_checkout", money: of(spent) });
  record(usedAt + DAY_MS, {
    operation: "create_checkout",
    outcome: "refused",
    code: mandate.usage === "single" ? "mandate_used" : "mandate_exceeded",
  });
}

async function giveMandate(
  demo: Demo,
  shopper: Shopper,
  clientId: string,
  mandate: MandatePlan,
): Promise<void> {
  const { userId, userAgent, mandateId, at } = shopper;
  const data = dataOf(demo.ctx, demo.tenant);
  if ((await data.prisma.mandate.count({ where: { mandate_id: mandateId } })) > 0) return;
  await allowPayments(demo, shopper);
  const person = await findPerson(data.sql, userId);
  if (!person?.consents.ap2) return;
  const createdAt = new Date(at.getTime() + HOUR_MS);
  const made = await createMandate(
    inHistory(demo.ctx, createdAt, mandateId),
    demo.tenant,
    person,
    {
      max_amount: mandate.amount,
      currency: "EUR",
      scope: mandate.scope ?? "all",
      expires_in_hours: mandate.hours,
      usage: mandate.usage,
      agent_clients: [clientId],
    },
    { userAgent, at: timeOf(demo, createdAt) },
  );
  const { spent } = mandate;
  const usedAt = new Date(createdAt.getTime() + 5 * HOUR_MS);
  if (spent !== undefined)
    await data.transaction(async (sql) => {
      await spend(sql, made.mandate_id, spent);
      await recordMandate(inHistory(demo.ctx, usedAt), demo.tenant, sql, {
        action: "mandate_used",
        userId,
        mandateId: made.mandate_id,
        userAgent,
        at: timeOf(demo, usedAt),
      });
    });
  if (mandate.isRevoked) await revokeMandate(demo.ctx, demo.tenant, person, made.mandate_id);
}

/** `consent_ap2`, which every mandate needs. */
async function allowPayments(
  demo: Demo,
  { userId, userAgent, mandateId, at }: Shopper,
): Promise<void> {
  const version = demo.tenant.config.consent_policy_version ?? null;
  const submission = toSubmission(
    {
      method: "compliance-page",
      consent_id: `${mandateId}:ap2`,
      consent_ap2: true,
      timestamp: at.toISOString(),
    },
    {
      consentId: mandateId,
      userAgent,
      gpc: false,
      consentVersion: version,
      policyHash: await findPolicyHash(dataOf(demo.ctx, demo.tenant).sql, version, "en"),
    },
  );
  await writeConsents(demo.ctx, demo.tenant, {
    subject: { userId },
    submission,
    at: timeOf(demo, at),
  });
}

async function banAgent(demo: Demo, clientId: string): Promise<void> {
  const { prisma } = dataOf(demo.ctx, demo.tenant);
  const open = { client_id: clientId, ended_at: null };
  const isLinked = (await prisma.oauthGrant.count({ where: open })) > 0;
  if (!isLinked) return;
  const endedAt = new Date(demo.calendar.end.getTime() - 2 * DAY_MS);
  await endAgent(inHistory(demo.ctx, endedAt), demo.tenant, clientId);
  await prisma.oauthGrant.updateMany({
    where: { client_id: clientId, end_reason: "revoked_by_store" },
    data: { ended_at: endedAt },
  });
}
