// Builds everything once. Functions of the domain are stateless and take this first.
import { resolve } from "node:path";
import type { Channel } from "./domain/bus/channel.ts";
import type { RenderThemeFooters } from "./domain/tenants/banner/theme-footers.ts";
import { createBackendClient, type BackendClient } from "./integrations/backend.ts";
import { createCmsClient, type CmsClient } from "./integrations/cms.ts";
import { createEmailClient, type EmailClient } from "./integrations/email.ts";
import { createErpClient, type ErpClient } from "./integrations/erp.ts";
import { openMovableArchive } from "./integrations/archive/movable-archive.ts";
import { openStoreRoots, type Archive } from "./integrations/archive/store-archive.ts";
import {
  createCustomerAccountClient,
  type CustomerAccountClient,
} from "./integrations/customer-account-api.ts";
import { createOidcClient, type OidcClient } from "./integrations/oidc.ts";
import {
  createProfilePlatformClient,
  type ProfilePlatformClient,
} from "./integrations/profile-platform.ts";
import {
  createRetailAnalyticsAClient,
  type RetailAnalyticsAClient,
} from "./integrations/retail-analytics-a.ts";
import {
  createRetailAnalyticsBClient,
  type RetailAnalyticsBClient,
} from "./integrations/retail-analytics-b.ts";
import {
  createStorefrontClient,
  type StorefrontClient,
} from "./integrations/storefront/storefront-client.ts";
import { createWebAnalyticsClient, type WebAnalyticsClient } from "./integrations/web-analytics.ts";
import { systemClock, systemRandom, type Clock, type Random } from "./runtime/clock.ts";
import type { Config } from "./runtime/config.ts";
import { PLATFORM, type Database } from "./runtime/database/database.ts";
import { findKey } from "./runtime/database/kv.ts";
import { PLATFORM_KEYS } from "./runtime/database/kv-keys.ts";
import { createTxtLookup, type TxtLookup } from "./runtime/dns-txt.ts";
import { createLog, type Log } from "./runtime/log.ts";
import { createOutbound, type Outbound } from "./runtime/outbound/outbound.ts";
import { openRegions, type Regions } from "./runtime/database/regions.ts";
import { createSecrets, type Secrets } from "./runtime/secrets.ts";
import type { AddressRules } from "./runtime/tenant-address.ts";

export type Ctx = {
  config: Config;
  /** Public address of this service, without a trailing slash. */
  baseUrl: string;
  log: Log;
  clock: Clock;
  random: Random;
  secrets: Secrets;
  /** The home region: tenant records, and the rows of the tenants that are at home there. */
  home: Database;
  regions: Regions;
  outbound: Outbound;
  /** What tenants may configure although it is private, and what they never may. */
  addressRules(): Promise<AddressRules>;
  channels: readonly Channel[];
  renderThemeFooters: RenderThemeFooters;
  archive: Archive;
  findTxtRecords: TxtLookup;
  backend: BackendClient;
  storefront: StorefrontClient;
  cms: CmsClient;
  webAnalytics: WebAnalyticsClient;
  profilePlatform: ProfilePlatformClient;
  email: EmailClient;
  erp: ErpClient;
  retailAnalyticsA: RetailAnalyticsAClient;
  retailAnalyticsB: RetailAnalyticsBClient;
  oidc: OidcClient;
  customerAccounts: CustomerAccountClient;
  /** The process is stopping: it is given no more requests. */
  isDraining(): boolean;
  startDraining(): void;
  /** Aborted when the process takes no more requests: long work ends at its next safe place. */
  stopping: AbortSignal;
  beginStop(): void;
  close(): Promise<void>;
};

export type CtxOptions = {
  config: Config;
  databaseUrl: string;
  baseUrl: string;
  /** Where the event bus can deliver to. Handed in, because the channels themselves take a Ctx. */
  channels: readonly Channel[];
  /** Handed in, because the embeds know the domain. */
  renderThemeFooters: RenderThemeFooters;
  clock?: Clock;
  random?: Random;
  log?: Log;
};

export function createCtx({
  config,
  databaseUrl,
  baseUrl,
  channels,
  renderThemeFooters,
  clock = systemClock,
  random = systemRandom,
  log = createLog(config.LOG_LEVEL),
}: CtxOptions): Ctx {
  const regions = openRegions({
    home: databaseUrl,
    others: config.regionDatabaseUrls,
    direct: config.directDatabaseUrls,
    replicas: config.replicaUrls,
    served: config.servedCells,
    poolSize: config.DATABASE_POOL,
    log,
  });
  // The sandbox plays every outside system on this machine: at its loopback, and in its folders.
  const allow = [
    ...(config.OUTBOUND_ALLOW ?? []),
    ...(config.isSandbox ? ["127.0.0.1", "file"] : []),
  ];
  const root = resolve(import.meta.dirname, "..");
  const outbound = createOutbound({ log, allow, nameServers: config.DNS_SERVERS });
  const storefront = createStorefrontClient({
    outbound,
    urlTemplate: config.STOREFRONT_URL_TEMPLATE,
  });
  const { home } = regions;
  let isDraining = false;
  const stopping = new AbortController();
  const objects = openMovableArchive(config.ARCHIVE_URL, root, () => savedArchiveUrl(home));
  const addressRules = async (): Promise<AddressRules> => ({
    allow,
    root,
    archiveUrls: await objects.addresses(),
  });
  return {
    config,
    baseUrl,
    log,
    clock,
    random,
    secrets: createSecrets(config.SECRETS_KEY, random),
    home,
    regions,
    outbound,
    addressRules,
    channels,
    renderThemeFooters,
    archive: openStoreRoots(objects),
    findTxtRecords: createTxtLookup(config.DNS_SERVERS),
    backend: createBackendClient({ outbound }),
    storefront,
    cms: createCmsClient({ outbound, apiUrl: config.CMS_API_URL }),
    webAnalytics: createWebAnalyticsClient({ outbound, apiUrl: config.ANALYTICS_API_URL }),
    profilePlatform: createProfilePlatformClient({ outbound }),
    email: createEmailClient({ outbound, apiUrl: config.EMAIL_API_URL }),
    erp: createErpClient({ outbound }),
    retailAnalyticsA: createRetailAnalyticsAClient({ outbound, addressRules }),
    retailAnalyticsB: createRetailAnalyticsBClient({ outbound }),
    oidc: createOidcClient({ outbound }),
    customerAccounts: createCustomerAccountClient({ outbound, storefront }),
    isDraining: () => isDraining,
    startDraining: () => void (isDraining = true),
    stopping: stopping.signal,
    beginStop: () => stopping.abort(),
    async close() {
      await outbound.close();
      await regions.close();
    },
  };
}

/** The address in the platform's configuration; null without one. */
async function savedArchiveUrl(home: Database): Promise<string | null> {
  const platform = await findKey<{ archive_url?: string }>(
    home.forTenant(PLATFORM).sql,
    PLATFORM_KEYS.config,
  );
  return platform?.value.archive_url ?? null;
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    ctx: Ctx;
  }
}
