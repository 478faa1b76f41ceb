// Registers the webhooks of a store through the Admin API. Repeatable: what is there already is kept, an address that
// moved is updated.
import type { Ctx } from "../../context.server.ts";
import {
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  WEBHOOK_SUBSCRIPTIONS,
} from "../../integrations/storefront-documents.ts";
import { WEBHOOK_API_VERSION } from "../../integrations/storefront.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { callStorefront, type UserError } from "./storefront-admin.ts";
import { BUS_PATH, webhookPath } from "./bus-phase.ts";
import { getTenant, type RefusedWebhook, type Tenant } from "./tenant.ts";
import { changeTenantRecord } from "./tenant-record.ts";
import { WEBHOOK_TOPICS } from "./webhook-topics.ts";

const MAX_REASON = 300;

type Subscription = { id: string; topic: string; uri: string };
type Listed = {
  webhookSubscriptions: {
    nodes: Subscription[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
};

/** The version in the path of the call is the version of the payloads that will arrive. */
const call = <T>(ctx: Ctx, shop: string, document: string, variables: Record<string, unknown>) =>
  callStorefront<T>(ctx, shop, { document, variables, version: WEBHOOK_API_VERSION });

export type Registered = {
  created: number;
  updated: number;
  existing: number;
  refused: RefusedWebhook[];
};

/**
 * Each topic on its own: what the platform refuses (a scope that is missing, data that the app is not approved for) is kept
 * on the tenant with its reason and costs no other topic. Throws when the platform does not answer, or not this store.
 */
export async function registerWebhooks(ctx: Ctx, shop: string): Promise<Registered> {
  const [tenant, known] = [await getTenant(ctx, shop), await listSubscriptions(ctx, shop)];
  const result: Registered = { created: 0, updated: 0, existing: 0, refused: [] };
  for (const { name, slug, graphqlTopic } of WEBHOOK_TOPICS) {
    const uri = ctx.baseUrl + webhookPath(tenant, slug);
    const ofTopic = known.filter((subscription) => subscription.topic === graphqlTopic);
    // Only one that points at a path of ours is ours to move: a second app address may be meant.
    const ours =
      ofTopic.find((subscription) => subscription.uri === uri) ??
      ofTopic.find(
        (subscription) =>
          subscription.uri.endsWith(`/webhooks/${slug}`) || subscription.uri.endsWith(BUS_PATH),
      );
    if (ours?.uri === uri) {
      result.existing += 1;
      continue;
    }
    const reason = await findRefusal(() =>
      ours ? move(ctx, shop, ours.id, uri) : create(ctx, shop, graphqlTopic, uri),
    );
    if (reason !== null) result.refused.push({ topic: name, reason });
    else if (ours) result.updated += 1;
    else result.created += 1;
  }
  await keepRefused(ctx, tenant, result.refused);
  ctx.log.done("webhooks.registered", {
    shop,
    ...result,
    refused: result.refused.map(({ topic, reason }) => `${topic}: ${reason}`),
  });
  return result;
}

async function move(ctx: Ctx, shop: string, id: string, uri: string): Promise<UserError[]> {
  const { webhookSubscriptionUpdate } = await call<{
    webhookSubscriptionUpdate: { userErrors: UserError[] };
  }>(ctx, shop, WEBHOOK_SUBSCRIPTION_UPDATE, { id, webhookSubscription: { uri } });
  return webhookSubscriptionUpdate.userErrors;
}

async function create(ctx: Ctx, shop: string, topic: string, uri: string): Promise<UserError[]> {
  const { webhookSubscriptionCreate } = await call<{
    webhookSubscriptionCreate: { userErrors: UserError[] };
  }>(ctx, shop, WEBHOOK_SUBSCRIPTION_CREATE, {
    topic,
    webhookSubscription: { uri, format: "JSON" },
  });
  return webhookSubscriptionCreate.userErrors;
}

/** How the Admin API refuses a call that it understood, without user errors. */
const REFUSED_CALL = 422;

/** The platform's own words for why it will not do it; null when it did. Whatever else went wrong is thrown. */
async function findRefusal(work: () => Promise<UserError[]>): Promise<string | null> {
  try {
    const errors = await work();
    if (errors.length === 0) return null;
    return errors
      .map(({ message }) => message)
      .join("; ")
      .slice(0, MAX_REASON);
  } catch (error) {
    if (!(error instanceof OutboundError) || error.status !== REFUSED_CALL) throw error;
    return error.message.slice(0, MAX_REASON);
  }
}

/** Written only when it is another list than before: every change of the record is read anew by every process. */
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
    const { webhookSubscriptions }: Listed = await call<Listed>(ctx, shop, WEBHOOK_SUBSCRIPTIONS, {
      first: 100,
      after,
    });
    all.push(...webhookSubscriptions.nodes);
    if (!webhookSubscriptions.pageInfo.hasNextPage) return all;
    after = webhookSubscriptions.pageInfo.endCursor;
  }
}
