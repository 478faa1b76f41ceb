/**
 * The sandbox storefront's state per shop. Plain JSON: it is written to the state file as it
 * stands.
 */
import type { Closure } from "./closed-store.ts";
import type { Catalog } from "./catalog.ts";
import type { FlowRun } from "./flow/flow-runs.ts";
import type { ReceivedTrigger } from "./flow/flow-triggers.ts";
import type { Cart } from "./checkout/carts.ts";
import type { DeliverySettings } from "./checkout/delivery.ts";
import type { Discount } from "./checkout/discounts.ts";
import { API_VERSIONS } from "./graphql/api-versions.ts";
import type { ConnectionCost } from "./graphql/query-cost.ts";
import type { Order } from "./orders.ts";
import type { ShopPolicy } from "./policies.ts";
import type { PrivacyState } from "./privacy-settings.ts";
import type { Segment } from "./segments/segments.ts";
import type { VisitorAccess } from "./visitors/visitor-access.ts";
import type { WebPixel } from "./web-pixels.ts";

type AccessToken = {
  token: string;
  scope: string;
  /** null = never expires */
  expiresAt: number | null;
};

export type RefreshToken = {
  token: string;
  accessToken: string;
  scope: string;
  expiresAt: number;
  /** active -> used (exchanged) | retired (replaced by another grant, or revoked) */
  status: "active" | "used" | "retired";
  usedAt?: number;
  replacement?: string;
};

export type RefreshCall = { at: string; outcome: "rotated" | "repeated" | "refused" };

type EmailMarketingState = "NOT_SUBSCRIBED" | "PENDING" | "SUBSCRIBED" | "UNSUBSCRIBED" | "INVALID";
type SmsMarketingState = "NOT_SUBSCRIBED" | "PENDING" | "SUBSCRIBED" | "UNSUBSCRIBED" | "REDACTED";

export type Metafield = {
  namespace: string;
  key: string;
  type: string;
  /** Always text; lists and booleans are JSON in it. */
  value: string;
  createdAt: string;
  updatedAt: string;
};

export type MetafieldDefinition = {
  gid: string;
  namespace: string;
  key: string;
  name: string;
  type: string;
};

export type Customer = {
  gid: string;
  createdAt: string;
  updatedAt: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
  locale: string;
  state: "DECLINED" | "DISABLED" | "ENABLED" | "INVITED";
  note: string | null;
  tags: string[];
  verifiedEmail: boolean;
  /** Unsigned 64 bit, as text. */
  numberOfOrders: string;
  /** Decimal, as text. */
  amountSpent: string;
  countryCode: string | null;
  emailMarketingState: EmailMarketingState;
  emailMarketingUpdatedAt: string | null;
  smsMarketingState: SmsMarketingState;
  smsMarketingUpdatedAt: string | null;
  /** Absent in older state files. */
  dataSaleOptOut?: boolean;
  metafields: Metafield[];
};

export type Subscription = { gid: string; topic: string; uri: string; apiVersion: string };

export type BlockSettings = Record<string, string | boolean>;

/** `customers`: everything about customers, the other parts included. */
export type ProtectedData = "customers" | "name" | "email" | "phone" | "address";

export type ShopState = {
  domain: string;
  /** Numeric ids are text everywhere: most of them do not fit a JavaScript number. */
  id: string;
  name: string;
  /** The host of the primary domain. Absent in older state files: the store's own. */
  primaryHost?: string;
  email: string;
  currencyCode: string;
  countryCode: string;
  /** Absent in older state files: `DEFAULT_TIME_ZONE`. */
  timeZone?: string;
  isInstalled: boolean;
  /** The platform has closed it to apps. */
  closure?: Closure | null;
  grantedScope: string;
  codes: { code: string; scope: string; expiresAt: number; isUsed: boolean }[];
  accessTokens: AccessToken[];
  refreshTokens: RefreshToken[];
  /** Old non-expiring token -> the pair it was migrated to. */
  migrations: { from: string; refreshToken: string }[];
  refreshCalls: RefreshCall[];
  customers: Record<string, Customer>;
  /** Customer definitions by `namespace.key`. Absent in older state files. */
  metafieldDefinitions?: Record<string, MetafieldDefinition>;
  /** Owned by the app's installation; an uninstall deletes them. Absent in older state files. */
  appMetafields?: Metafield[];
  nextCustomerId: string;
  /** Created on first use, like orders and carts. */
  catalog?: Catalog;
  orders?: Record<string, Order>;
  /** Absent in older state files. */
  nextOrderId?: string;
  /** Carts and draft orders, by gid. */
  baskets?: Record<string, Cart>;
  /** Absent in older state files. */
  discounts?: Discount[];
  /** What differs from the usual delivery. Absent in older state files. */
  delivery?: DeliverySettings;
  /** What Shopify Flow received and ran, newest first. Absent in older state files. */
  flowTriggers?: ReceivedTrigger[];
  flowRuns?: FlowRun[];
  /** The merchant's own, beside those of every store. */
  segments?: Segment[];
  subscriptions: Subscription[];
  nextSubscriptionId: number;
  /** Webhook topics that the platform rejects for this app, with its reason. */
  refusedTopics?: Record<string, string>;
  /** The app's blocks in the published theme, by file name. */
  activeBlocks?: string[];
  /** Their settings, by file name. */
  blockSettings?: Record<string, BlockSettings>;
  /** The online store asks visitors for its password. */
  hasPassword?: boolean;
  /** Other sites may frame the store's pages: a storefront of the merchant's own. */
  isFrameable?: boolean;
  /** What else keeps visitors out. Absent in older state files. */
  access?: VisitorAccess;
  /** What merchants and other apps wrote into the head of the theme. Set when the store is furnished. */
  themeHtml?: string;
  /** Customer data that the app is not approved for. */
  withheld?: ProtectedData[];
  /** The app's web pixel; an uninstall ends it. */
  webPixel?: WebPixel | null;
  nextPixelId?: number;
  /** Created on the first look. */
  privacy?: PrivacyState;
  /** Created on the first change. */
  policies?: ShopPolicy[];
  /** Staged uploads by their key; the content is null until it is uploaded. */
  stagedFiles?: Record<string, { mimeType: string; policy: string; base64: string | null }>;
  /** The store's files, by gid. */
  files?: Record<string, StoreFile>;
};

export type StoreFile = {
  id: string;
  name: string;
  mimeType: string;
  base64: string;
  /** How many looks still find it in work. */
  looksLeft: number;
  isFailing: boolean;
};

export type StorefrontState = { shops: Record<string, ShopState> };

// 2^53 + 1: the first integer a JavaScript number cannot hold. Steps of two keep every id above it
// unrepresentable.
const FIRST_CUSTOMER_ID = 9_007_199_254_740_993n;
export const CUSTOMER_ID_STEP = 2n;

export const SHOP_DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;

export function newShop(domain: string, ordinal: number): ShopState {
  const name = domain.replace(/\.myshopify\.com$/, "").replaceAll("-", " ");
  return {
    domain,
    id: String(954_889 + ordinal),
    name: name.charAt(0).toUpperCase() + name.slice(1),
    primaryHost: firstPrimaryHost(domain),
    email: "owner@store.example",
    currencyCode: "EUR",
    countryCode: "DE",
    isInstalled: false,
    grantedScope: "",
    codes: [],
    accessTokens: [],
    refreshTokens: [],
    migrations: [],
    refreshCalls: [],
    customers: {},
    nextCustomerId: String(FIRST_CUSTOMER_ID),
    subscriptions: [],
    nextSubscriptionId: 1_100_000_000_001,
  };
}

/** The primary domain of a new store: not its own. */
export const firstPrimaryHost = (domain: string): string =>
  `www.${domain.replace(/\.myshopify\.com$/, "")}.example`;

/** The store whose first primary domain this is. */
export const storeOfFirstHost = (host: string): string | undefined => {
  const name = /^www\.([a-z0-9][a-z0-9-]*)\.example$/.exec(host)?.[1];
  return name === undefined ? undefined : `${name}.myshopify.com`;
};

const DEFAULT_TIME_ZONE = "Europe/Berlin";
export const timeZoneOf = ({ timeZone }: ShopState): string => timeZone ?? DEFAULT_TIME_ZONE;

export const primaryHostOf = ({ domain, primaryHost }: ShopState): string => primaryHost ?? domain;

export type StorefrontSettings = {
  /** The authorize page answers with the redirect at once, no button. */
  autoApprove: boolean;
  /**
   * "none": a refresh token works once, even when the response was lost.
   * "until_replacement_used": the platform since 2026-08; a repeated call returns the same pair
   * until the new refresh token is used.
   */
  refreshRetry: "none" | "until_replacement_used";
  tokenLifetimeSeconds: number;
  refreshTokenLifetimeSeconds: number;
  /** Calls with a non-expiring token are rejected for public apps, accepted for custom apps. */
  nonExpiringTokens: "refused" | "accepted";
  /** Versions of the Admin API that are served; calls in an older one are answered in the oldest of them. */
  apiVersions: readonly string[];
  webhookApiVersion: string;
  webhookTimeoutMs: number;
  /** A change the app makes through the API sends webhooks back to the app. */
  echoWebhooks: boolean;
  /**
   * Each webhook comes a second time after the next one of its store, under the same ids: late,
   * twice and out of order, as the platform may deliver any of them.
   */
  lateRepeats: boolean;
  /** Paging ends after this many objects. */
  maxPagedObjects: number;
  /** The limits of the standard plan. */
  graphqlCost: {
    maximumAvailable: number;
    restoreRate: number;
    maximumQueryCost: number;
    connections: ConnectionCost;
  };
};

export const STOREFRONT_DEFAULTS: StorefrontSettings = {
  autoApprove: false,
  refreshRetry: "none",
  tokenLifetimeSeconds: 3600,
  refreshTokenLifetimeSeconds: 7_776_000,
  nonExpiringTokens: "refused",
  apiVersions: API_VERSIONS,
  webhookApiVersion: "2026-07",
  webhookTimeoutMs: 5000,
  echoWebhooks: true,
  lateRepeats: true,
  maxPagedObjects: 25_000,
  graphqlCost: {
    maximumAvailable: 2000,
    restoreRate: 100,
    maximumQueryCost: 1000,
    connections: "measured",
  },
};

/** The platform's createdAt and updatedAt have a precision of one second. */
export function isoSeconds(date: Date): string {
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
