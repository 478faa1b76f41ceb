/**
 * Root fields of the simulated Admin API. They answer in the schema's own shapes; graphql-js picks
 * the asked fields.
 */
import { readFileSync } from "node:fs";
import { GraphQLError } from "graphql";
import { isLoopbackUrl } from "../../loopback-guard.ts";
import { catalogResolvers } from "./catalog-resolvers.ts";
import { draftOrderResolvers } from "../checkout/draft-orders.ts";
import { customerResolvers } from "./customer-resolvers.ts";
import type { GraphqlContext } from "./admin-api.ts";
import { flowResolvers } from "../flow/flow-triggers.ts";
import { fileResolvers } from "../files.ts";
import { installationGid } from "./metafields.ts";
import { definitionResolvers } from "./metafield-definitions.ts";
import { marketingConsentResolvers } from "./marketing-consent.ts";
import { orderResolvers } from "../orders.ts";
import { shopPolicies } from "../policies.ts";
import { privacyResolvers } from "../privacy-settings.ts";
import { primaryHostOf, timeZoneOf } from "../state.ts";
import { segmentResolvers } from "../segments/segment-resolvers.ts";
import { pixelResolvers } from "../web-pixels.ts";
import { isWithheldTopic, REFUSED_TOPIC } from "./protected-data.ts";
import type { ShopState, Subscription } from "../state.ts";

const MAX_PAGE = 250;

type SubscriptionInput = { uri?: string; callbackUrl?: string };
type UserError = { field: string[]; message: string };

export const storefrontResolvers = {
  ...customerResolvers,
  ...definitionResolvers,
  ...catalogResolvers,
  ...orderResolvers,
  ...draftOrderResolvers,
  ...fileResolvers,
  ...flowResolvers,
  ...marketingConsentResolvers,
  ...privacyResolvers,
  ...pixelResolvers,
  ...segmentResolvers,

  shop: (_: unknown, { shop }: GraphqlContext) => ({
    id: `gid://shopify/Shop/${shop.id}`,
    name: shop.name,
    email: shop.email,
    myshopifyDomain: shop.domain,
    currencyCode: shop.currencyCode,
    ianaTimezone: timeZoneOf(shop),
    primaryDomain: { host: primaryHostOf(shop), url: `https://${primaryHostOf(shop)}` },
    shopPolicies,
  }),

  currentAppInstallation: (_: unknown, { scope, shop }: GraphqlContext) => ({
    id: installationGid(shop),
    accessScopes: scope
      .split(",")
      .filter(Boolean)
      .map((handle) => ({ handle })),
  }),

  webhookSubscriptions: (
    { first, after }: { first?: number | null; after?: string | null },
    { shop }: GraphqlContext,
  ) => {
    if (first === undefined || first === null)
      throw new GraphQLError("you must provide one of first or last", {
        extensions: { code: "BAD_REQUEST" },
      });
    if (first < 1 || first > MAX_PAGE)
      throw new GraphQLError(`first must be between 1 and ${MAX_PAGE}`, {
        extensions: { code: "BAD_REQUEST" },
      });
    const start = after === undefined || after === null ? 0 : positionAfter(shop, after);
    const nodes = shop.subscriptions.slice(start, start + first);
    const last = nodes.at(-1);
    return {
      nodes: nodes.map(toGraphqlSubscription),
      pageInfo: {
        hasNextPage: start + first < shop.subscriptions.length,
        endCursor: last ? cursorOf(last) : null,
      },
    };
  },

  webhookSubscriptionCreate: (
    { topic, webhookSubscription }: { topic: string; webhookSubscription: SubscriptionInput },
    context: GraphqlContext,
  ) => {
    const { shop } = context;
    const uri = webhookSubscription.uri ?? webhookSubscription.callbackUrl ?? "";
    const missing = missingScope(topic, context.scope);
    const userErrors = missing
      ? [{ field: ["topic"], message: missing }]
      : findErrors(shop, topic, uri);
    if (userErrors.length > 0) return { webhookSubscription: null, userErrors };
    const subscription = {
      gid: `gid://shopify/WebhookSubscription/${shop.nextSubscriptionId++}`,
      topic,
      uri,
      apiVersion: context.webhookApiVersion,
    };
    shop.subscriptions.push(subscription);
    context.changed();
    return { webhookSubscription: toGraphqlSubscription(subscription), userErrors };
  },

  webhookSubscriptionUpdate: (
    { id, webhookSubscription }: { id: string; webhookSubscription: SubscriptionInput },
    context: GraphqlContext,
  ) => {
    const subscription = context.shop.subscriptions.find(({ gid }) => gid === id);
    if (!subscription)
      return {
        webhookSubscription: null,
        userErrors: [{ field: ["id"], message: "Webhook subscription does not exist" }],
      };
    const uri = webhookSubscription.uri ?? webhookSubscription.callbackUrl ?? subscription.uri;
    const userErrors = findErrors(context.shop, subscription.topic, uri, subscription);
    if (userErrors.length > 0) return { webhookSubscription: null, userErrors };
    subscription.uri = uri;
    context.changed();
    return { webhookSubscription: toGraphqlSubscription(subscription), userErrors };
  },

  webhookSubscriptionDelete: ({ id }: { id: string }, context: GraphqlContext) => {
    const { subscriptions } = context.shop;
    const index = subscriptions.findIndex(({ gid }) => gid === id);
    if (index < 0)
      return {
        deletedWebhookSubscriptionId: null,
        userErrors: [{ field: ["id"], message: "Webhook subscription does not exist" }],
      };
    subscriptions.splice(index, 1);
    context.changed();
    return { deletedWebhookSubscriptionId: id, userErrors: [] };
  },
};

function toGraphqlSubscription(subscription: Subscription): Record<string, unknown> {
  return {
    id: subscription.gid,
    topic: subscription.topic,
    uri: subscription.uri,
    apiVersion: { handle: subscription.apiVersion },
  };
}

const TOPIC_SCOPES = JSON.parse(
  readFileSync(new URL("./schema/webhook-topic-scopes.json", import.meta.url), "utf8"),
) as Record<string, string[]>;

/**
 * The schema's own text names the scopes of each topic; one of them is enough, and who may write
 * may read.
 */
function missingScope(topic: string, granted: string): string | null {
  const scopes = granted.split(",");
  const needed = TOPIC_SCOPES[topic] ?? [];
  const isGranted = needed.some(
    (scope) => scopes.includes(scope) || scopes.includes(scope.replace(/^read_/, "write_")),
  );
  return needed.length === 0 || isGranted
    ? null
    : `You do not have permission to create or update webhooks with ${topic} topic. Missing scope for webhook topic: ${needed.join(" or ")}`;
}

function findErrors(
  shop: ShopState,
  topic: string,
  uri: string,
  except?: Subscription,
): UserError[] {
  const refusal = shop.refusedTopics?.[topic] ?? (isWithheldTopic(shop, topic) && REFUSED_TOPIC);
  if (refusal) return [{ field: ["topic"], message: refusal }];
  const field = ["webhookSubscription", "uri"];
  const address = URL.parse(uri);
  if (!address) return [{ field, message: "Address is invalid" }];
  if (address.protocol !== "https:" && !isLoopbackUrl(uri))
    return [{ field, message: `Address protocol ${address.protocol}// is not supported` }];
  const isTaken = shop.subscriptions.some(
    (other) => other !== except && other.topic === topic && other.uri === uri,
  );
  return isTaken ? [{ field, message: "Address for this topic has already been taken" }] : [];
}

function cursorOf(subscription: Subscription): string {
  return Buffer.from(JSON.stringify({ last_id: subscription.gid })).toString("base64");
}

/**
 * Compares with the id in the cursor, so that a subscription added or removed between two pages neither
 * repeats nor hides another.
 */
function positionAfter(shop: ShopState, cursor: string): number {
  const index = shop.subscriptions.findIndex((subscription) => cursorOf(subscription) === cursor);
  if (index < 0)
    throw new GraphQLError("Invalid cursor for current pagination sort.", {
      extensions: { code: "BAD_REQUEST" },
    });
  return index + 1;
}
