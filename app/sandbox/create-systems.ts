/**
 * The outside systems of a sandbox, each under a path prefix of its one port. A new system has its
 * prefix, its first contents, its start and its address here.
 */
import { createCms } from "./cms/cms.ts";
import { initialCmsState } from "./cms/state.ts";
import type { SystemName } from "./faults.ts";
import { createFederated, initialFederatedState } from "./oidc/federated.ts";
import type { SandboxOptions } from "./sandbox.ts";
import type { Saving } from "./state-file.ts";
import { createCustomerAccounts, isCustomerAccountPath } from "./storefront/customer-accounts.ts";
import { createStorefront } from "./storefront/storefront.ts";
import { createBackend } from "./systems/backend.ts";
import { createEmail } from "./systems/email.ts";
import { createErp } from "./systems/erp.ts";
import { createProfilePlatform } from "./systems/profile-platform.ts";
import { createRetailAnalyticsA } from "./systems/retail-analytics-a.ts";
import { createRetailAnalyticsB } from "./systems/retail-analytics-b.ts";
import { createWebAnalytics } from "./systems/web-analytics.ts";

const PREFIXES: [prefix: string, system: SystemName][] = [
  ["/storefront", "storefront"],
  ["/cms/v2", "cms"],
  ["/analytics", "analytics"],
  ["/profile", "profilePlatform"],
  ["/email", "email"],
  ["/erp", "erp"],
  ["/retail-a", "retailAnalyticsA"],
  ["/retail-b", "retailAnalyticsB"],
  ["/federated", "federated"],
  ["/backend", "backend"],
];

/** The system of a path, and the path inside it; null for the sandbox's own pages. */
export function findSystem(pathname: string): { system: SystemName; path: string } | null {
  const found = PREFIXES.find(
    ([prefix]) => pathname === prefix || pathname.startsWith(`${prefix}/`),
  );
  if (!found) return null;
  const [prefix, system] = found;
  const path = pathname.slice(prefix.length) || "/";
  const isSignIn = system === "storefront" && isCustomerAccountPath(path);
  return { system: isSignIn ? "customerAccounts" : system, path };
}

/** The contents of every system, as they are kept in the state file. */
export const initialState = () => ({
  storefront: { shops: {} },
  cms: initialCmsState(),
  analytics: { hits: [] },
  profilePlatform: { messages: [], profiles: {}, deletions: [] },
  email: { inbox: [], idempotencyKeys: {} },
  erp: { documents: [] },
  retailAnalyticsA: { objects: {} },
  retailAnalyticsB: { records: [] },
  federated: initialFederatedState(),
  backend: { enqueued: [], deliveries: [] },
});

export type Systems = ReturnType<typeof createSystems>;

export function createSystems({
  state,
  saving,
  options,
  addresses,
  stopped,
}: {
  state: ReturnType<typeof initialState>;
  saving: Saving;
  options: SandboxOptions;
  addresses: { url: () => string; appUrl: () => string };
  stopped: AbortSignal;
}) {
  const { clientId, clientSecret, handle = "customer-identity", webhookSecret } = options.app;
  const url = addresses.appUrl;
  const storefront = createStorefront(
    state.storefront,
    saving,
    { url, clientId, clientSecret, handle },
    options.storefront,
  );
  return {
    storefront,
    // The storefront's sign-in. Its requests are recorded, and fail on demand, separately from the
    // Admin API's.
    customerAccounts: createCustomerAccounts(
      storefront,
      addresses,
      clientId,
      options.customerAccounts,
    ),
    federated: createFederated(state.federated, saving, addresses, options.federated),
    cms: createCms(state.cms, saving, options.cms),
    analytics: createWebAnalytics(state.analytics, saving),
    profilePlatform: createProfilePlatform(state.profilePlatform, saving),
    email: createEmail(state.email, saving),
    erp: createErp(state.erp, saving),
    retailAnalyticsA: createRetailAnalyticsA(state.retailAnalyticsA, saving),
    retailAnalyticsB: createRetailAnalyticsB(state.retailAnalyticsB, saving),
    backend: createBackend(state.backend, saving, { url, webhookSecret, stopped }),
  };
}

/** What the service is configured with to call the systems of a sandbox at this address. */
export const addressesAt = (url: string) => ({
  storefrontUrlTemplate: `${url}/storefront/{shop}`,
  cmsApiUrl: `${url}/cms/v2`,
  analyticsApiUrl: `${url}/analytics`,
  profilePlatformUrl: `${url}/profile/collection/demo`,
  emailApiUrl: `${url}/email`,
  erpBaseUrl: `${url}/erp`,
  retailAnalyticsAUrl: `${url}/retail-a`,
  retailAnalyticsBUrl: `${url}/retail-b`,
  appBridgeUrl: `${url}/app-bridge.js`,
  federatedIssuer: `${url}/federated`,
  backendUrl: `${url}/backend`,
});

export type SystemAddresses = ReturnType<typeof addressesAt>;
