/** The type of what `startSandbox` returns: a handle per system and the shared controls. */
import type { Backend } from "./systems/backend.ts";
import type { Cms, CmsSettings } from "./cms/cms.ts";
import type { CustomerAccounts, CustomerAccountSettings } from "./storefront/customer-accounts.ts";
import type { Email } from "./systems/email.ts";
import type { Erp } from "./systems/erp.ts";
import type { Fault, SystemName } from "./faults.ts";
import type { Federated } from "./oidc/federated.ts";
import type { OidcSettings } from "./oidc/provider.ts";
import type { ProfilePlatform } from "./systems/profile-platform.ts";
import type { ObservedRequest, SandboxRequest } from "./request-log.ts";
import type { RetailAnalyticsA } from "./systems/retail-analytics-a.ts";
import type { RetailAnalyticsB } from "./systems/retail-analytics-b.ts";
import type { StorefrontSettings } from "./storefront/state.ts";
import type { Storefront } from "./storefront/storefront.ts";
import type { WebAnalytics } from "./systems/web-analytics.ts";

export type SandboxOptions = {
  /** 0 (the default) picks a free port. */
  port?: number;
  app: {
    url: string | (() => string);
    clientId: string;
    clientSecret: string;
    handle?: string;
    /** The credential that the sandbox backend sends to /events/deliver. */
    webhookSecret?: string;
  };
  /** What the console needs to know about the service. */
  console?: ConsoleOptions;
  /** JSON file that keeps tokens, customers and the systems' contents across restarts. */
  stateFile?: string;
  storefront?: Partial<StorefrontSettings>;
  cms?: Partial<CmsSettings>;
  federated?: Partial<OidcSettings>;
  customerAccounts?: Partial<CustomerAccountSettings>;
};

export type ConsoleOptions = {
  /** The key for the service's admin endpoints; without it queue and circuits stay unknown. */
  adminKey?: string;
  /** Systems that the service reaches by files: no request comes here, so none can fail. */
  byFile?: SystemName[];
};

type SandboxAddresses = {
  storefrontUrlTemplate: string;
  cmsApiUrl: string;
  analyticsApiUrl: string;
  profilePlatformUrl: string;
  emailApiUrl: string;
  erpBaseUrl: string;
  retailAnalyticsAUrl: string;
  retailAnalyticsBUrl: string;
  appBridgeUrl: string;
  federatedIssuer: string;
  backendUrl: string;
};

export type Sandbox = {
  url: string;
  addresses: SandboxAddresses;
  storefront: Omit<Storefront, "handle">;
  /**
   * The storefront's sign-in. Its requests are recorded, and fail on demand, separately from the
   * Admin API's.
   */
  customerAccounts: Omit<CustomerAccounts, "handle">;
  federated: Omit<Federated, "handle">;
  cms: Omit<Cms, "handle">;
  analytics: Omit<WebAnalytics, "handle">;
  profilePlatform: Omit<ProfilePlatform, "handle">;
  email: Omit<Email, "handle">;
  erp: Omit<Erp, "handle">;
  retailAnalyticsA: Omit<RetailAnalyticsA, "handle">;
  retailAnalyticsB: Omit<RetailAnalyticsB, "handle">;
  backend: Omit<Backend, "handle">;
  /** The next `times` requests to the system (whose path and query match) fail this way. */
  failNext(system: SystemName, fault: Fault, times?: number): void;
  /** Ends the faults of one system, or of all. */
  clearFaults(system?: SystemName): void;
  /** The failure that lasts until it is cleared. */
  standingFault(system: SystemName): Fault | undefined;
  /** Whether a fault waits for a certain number of requests. */
  hasWaitingFault(): boolean;
  requests(system: SystemName): SandboxRequest[];
  /** Reports every request to a system; returns the unsubscribe function. */
  onRequest(listener: (observed: ObservedRequest) => void): () => void;
  /** The system's contents as plain JSON. */
  stateOf(system: SystemName): unknown;
  appUrl(): string;
  stop(): Promise<void>;
};
