// Registers the webhooks of a store through the Admin API. Safe to repeat: existing subscriptions
// are kept, a changed address is updated.
import type { Ctx } from "../../../context.server.ts";
import {
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_DELETE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  WEBHOOK_SUBSCRIPTIONS,
} from "../../../integrations/storefront/documents.ts";
import { WEBHOOK_API_VERSION } from "../../../integrations/storefront/storefront-client.ts";
import { PLATFORM_KEYS } from "../../../runtime/database/kv-keys.ts";
import { OutboundError } from "../../../runtime/errors.ts";
import { callAdminApi, type UserError } from "./admin-api.ts";
import { BUS_PATH, webhookPath } from "../bus-phase.ts";
import { storeRequests } from "../store-requests.ts";
import { getTenant, type RefusedWebhook, type Tenant } from "../tenant.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { API_TOPICS, MANIFEST_TOPICS } from "./webhook-topics.ts";

/** Stores whose webhooks a worker is to register (registration-worker.ts). */
export const registrationRequests = storeRequests(PLATFORM_KEYS.registrationRequest);

const MAX_REASON = 300;
/** The subscription exists: another process registers the store at the same time, or the list was incomplete. */
const TAKEN = /already been taken/i;
/** After more topics in a row without an answer the platform counts as away. */
const MAX_SILENT = 2;

type Subscription = { id: string; topic: string; uri: string };
type Listed = {
  webhookSubscriptions?: {
    nodes?: Subscription[];
    pageInfo?: { hasNextPage: boolean; endCursor: string | null };
  };
};

/** The version in the call's path is the version of the payloads. */
const call = <T>(ctx: Ctx, shop: string, document: string, variables: Record<string, unknown>) =>
  callAdminApi<T>(ctx, shop, { document, variables, version: WEBHOOK_API_VERSION });

export type Registered = {
  created: number;
  updated: number;
  existing: number;
  /**
   * Topics that shopify.app.toml holds, registered by an earlier version: they would be delivered
   * twice.
   */
  removed: number;
  refused: RefusedWebhook[];
};

/**
 * Registers each topic separately: a topic that the platform rejects (missing scope, missing
 * approval), or for which it does not answer, is stored on the tenant with its reason and affects no
 * other topic. Throws when the platform does not answer at all, or not for this store.
 */
export async function registerWebhooks(ctx: Ctx, shop: string): Promise<Registered> {
  const tenant = await getTenant(ctx, shop);
  const { known, problem } = await tryList(ctx, shop);
  const result: Registered = { created: 0, updated: 0, existing: 0, removed: 0, refused: [] };
  const findReason = untilAway();
  const wanted = API_TOPICS.map((topic) => ({
    ...topic,
    uri: ctx.baseUrl + webhookPath(tenant, topic.slug),
  }));
  for (const { name, slug, graphqlTopic, uri } of wanted) {
    const ofTopic = known.filter(({ topic }) => topic === graphqlTopic);
    const ours = findOurs(ofTopic, slug, uri);
    if (ours?.uri === uri) {
      result.existing += 1;
      continue;
    }
    const reason = await findReason(() =>
      ours ? move(ctx, shop, ours.id, uri) : create(ctx, shop, graphqlTopic, uri),
    );
    if (reason !== null) result.refused.push({ topic: name, reason });
    else if (ours) result.updated += 1;
    else result.created += 1;
  }
  if (problem && result.refused.length > 0) throw problem;
  const refused = await withoutTaken(ctx, shop, wanted, result.refused);
  result.existing += result.refused.length - refused.length;
  result.refused = refused;
  for (const { id } of known.filter(isOfManifest)) {
    const reason = await findReason(() => remove(ctx, shop, id));
    if (reason === null) result.removed += 1;
  }
  await keepRefused(ctx, tenant, result.refused);
  await registrationRequests.close(ctx, shop);
  ctx.log.info("webhooks.registered", {
    shop,
    ...result,
    refused: result.refused.map(({ topic, reason }) => `${topic}: ${reason}`),
  });
  return result;
}

type Wanted = { name: string; graphqlTopic: string; uri: string };

/** The refused topics without those that another process registered meanwhile. */
async function withoutTaken(
  ctx: Ctx,
  shop: string,
  wanted: readonly Wanted[],
  refused: RefusedWebhook[],
): Promise<RefusedWebhook[]> {
  if (!refused.some(({ reason }) => TAKEN.test(reason))) return refused;
  const listed = new Set(
    (await listSubscriptions(ctx, shop)).map(({ topic, uri }) => `${topic} ${uri}`),
  );
  const registered = new Set(
    wanted
      .filter(({ graphqlTopic, uri }) => listed.has(`${graphqlTopic} ${uri}`))
      .map(({ name }) => name),
  );
  return refused.filter(({ topic }) => !registered.has(topic));
}

/** Only a subscription that points at one of our paths is changed: another one may be intended. */
const findOurs = (
  ofTopic: readonly Subscription[],
  slug: string,
  uri: string,
): Subscription | undefined =>
  ofTopic.find((subscription) => subscription.uri === uri) ??
  ofTopic.find((subscription) => isOurs(subscription.uri, slug));

const isOfManifest = ({ topic, uri }: Subscription): boolean =>
  MANIFEST_TOPICS.some(({ slug, graphqlTopic }) => topic === graphqlTopic && isOurs(uri, slug));

const isOurs = (uri: string, slug: string): boolean =>
  uri.endsWith(`/webhooks/${slug}`) || uri.endsWith(BUS_PATH);

type Result = { userErrors?: UserError[] };

const errorsOf = (result: Result | undefined): UserError[] =>
  result ? (result.userErrors ?? []) : [{ message: "The platform answered without a result." }];

async function remove(ctx: Ctx, shop: string, id: string): Promise<UserError[]> {
  const { webhookSubscriptionDelete } = await call<{
    webhookSubscriptionDelete?: Result;
  }>(ctx, shop, WEBHOOK_SUBSCRIPTION_DELETE, { id });
  return errorsOf(webhookSubscriptionDelete);
}

async function move(ctx: Ctx, shop: string, id: string, uri: string): Promise<UserError[]> {
  const { webhookSubscriptionUpdate } = await call<{
    webhookSubscriptionUpdate?: Result;
  }>(ctx, shop, WEBHOOK_SUBSCRIPTION_UPDATE, { id, webhookSubscription: { uri } });
  return errorsOf(webhookSubscriptionUpdate);
}

async function create(ctx: Ctx, shop: string, topic: string, uri: string): Promise<UserError[]> {
  const { webhookSubscriptionCreate } = await call<{
    webhookSubscriptionCreate?: Result;
  }>(ctx, shop, WEBHOOK_SUBSCRIPTION_CREATE, {
    topic,
    webhookSubscription: { uri, format: "JSON" },
  });
  return errorsOf(webhookSubscriptionCreate);
}

/**
 * Finds why a call was not done, for one call after the other; null when it was. Throws once too many calls
 * in a row had no answer.
 */
function untilAway(): (work: () => Promise<UserError[]>) => Promise<string | null> {
  let silent = 0;
  return async (work) => {
    try {
      const reason = await findRefusal(work);
      silent = 0;
      return reason;
    } catch (error) {
      silent += 1;
      if (!(error instanceof OutboundError) || !error.retryable || silent > MAX_SILENT) throw error;
      return `No answer: ${error.message}`.slice(0, MAX_REASON);
    }
  };
}

/** A store without points in its bucket has none for the next call either. */
const THROTTLED = 429;

/**
 * The platform's own reason for a rejection, or its own failure at this call; null when the work succeeded. Any
 * other error is thrown.
 */
async function findRefusal(work: () => Promise<UserError[]>): Promise<string | null> {
  try {
    const errors = await work();
    if (errors.length === 0) return null;
    return errors
      .map(({ message }) => message)
      .join("; ")
      .slice(0, MAX_REASON);
  } catch (error) {
    if (!isAnswered(error)) throw error;
    return error.message.slice(0, MAX_REASON);
  }
}

const isAnswered = (error: unknown): error is OutboundError =>
  error instanceof OutboundError && error.kind === "graphql" && error.status !== THROTTLED;

/**
 * A store that answers without its list gets every topic. `problem`: then a topic may be refused only because it is
 * registered already.
 */
async function tryList(
  ctx: Ctx,
  shop: string,
): Promise<{ known: Subscription[]; problem: OutboundError | null }> {
  try {
    return { known: await listSubscriptions(ctx, shop), problem: null };
  } catch (error) {
    if (!isAnswered(error)) throw error;
    return { known: [], problem: error };
  }
}

/** Written only when the list changed: every process reads the record again after a change. */
async function keepRefused(ctx: Ctx, tenant: Tenant, refused: RefusedWebhook[]): Promise<void> {
  const before = tenant.connection.refused_webhooks ?? [];
  if (JSON.stringify(before) === JSON.stringify(refused)) return;
  await changeTenantRecord(ctx, tenant.shop, {
    connection: { refused_webhooks: refused.length > 0 ? refused : null },
  });
}

export async function listSubscriptions(ctx: Ctx, shop: string): Promise<Subscription[]> {
  const all: Subscription[] = [];
  for (let after: string | null = null; ;) {
    const page: Listed = await call<Listed>(ctx, shop, WEBHOOK_SUBSCRIPTIONS, {
      first: 100,
      after,
    });
    all.push(...(page.webhookSubscriptions?.nodes ?? []));
    const next = cursorAfter(page);
    // A page that leads to itself would be read for ever, and the scheduled run would not end.
    if (next === null || next === after) return all;
    after = next;
  }
}

function cursorAfter({ webhookSubscriptions }: Listed): string | null {
  const { hasNextPage = false, endCursor = null } = webhookSubscriptions?.pageInfo ?? {};
  return hasNextPage ? endCursor : null;
}
