// Registers the webhooks of a store through the Admin API. Repeatable: what is there already is kept, an address that
// moved is updated.
import type { Ctx } from "../../context.server.ts";
import {
  WEBHOOK_SUBSCRIPTION_CREATE,
  WEBHOOK_SUBSCRIPTION_UPDATE,
  WEBHOOK_SUBSCRIPTIONS,
} from "../../integrations/storefront-documents.ts";
import { WEBHOOK_API_VERSION } from "../../integrations/storefront.ts";
import { callStorefront, requireNoUserErrors, type UserError } from "./storefront-admin.ts";
import { BUS_PATH, webhookPath } from "./bus-phase.ts";
import { getTenant } from "./tenant.ts";
import { WEBHOOK_TOPICS } from "./webhook-topics.ts";

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

export async function registerWebhooks(
  ctx: Ctx,
  shop: string,
): Promise<{ created: number; updated: number; existing: number }> {
  const [tenant, known] = [await getTenant(ctx, shop), await listSubscriptions(ctx, shop)];
  const counts = { created: 0, updated: 0, existing: 0 };
  for (const { slug, graphqlTopic } of WEBHOOK_TOPICS) {
    const uri = ctx.baseUrl + webhookPath(tenant, slug);
    const ofTopic = known.filter((subscription) => subscription.topic === graphqlTopic);
    // Only one that points at a path of ours is ours to move: a second app address may be meant.
    const ours =
      ofTopic.find((subscription) => subscription.uri === uri) ??
      ofTopic.find(
        (subscription) =>
          subscription.uri.endsWith(`/webhooks/${slug}`) || subscription.uri.endsWith(BUS_PATH),
      );
    if (ours?.uri === uri) counts.existing += 1;
    else if (ours) {
      const { webhookSubscriptionUpdate } = await call<{
        webhookSubscriptionUpdate: { userErrors: UserError[] };
      }>(ctx, shop, WEBHOOK_SUBSCRIPTION_UPDATE, { id: ours.id, webhookSubscription: { uri } });
      requireNoUserErrors("webhookSubscriptionUpdate", webhookSubscriptionUpdate.userErrors);
      counts.updated += 1;
    } else {
      const { webhookSubscriptionCreate } = await call<{
        webhookSubscriptionCreate: { userErrors: UserError[] };
      }>(ctx, shop, WEBHOOK_SUBSCRIPTION_CREATE, {
        topic: graphqlTopic,
        webhookSubscription: { uri, format: "JSON" },
      });
      requireNoUserErrors(
        `webhookSubscriptionCreate ${graphqlTopic}`,
        webhookSubscriptionCreate.userErrors,
      );
      counts.created += 1;
    }
  }
  ctx.log.done("webhooks.registered", { shop, ...counts });
  return counts;
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
