/** The type of what `startSandbox` returns: a handle per system and the shared controls. */
import type { CmsSettings } from "./cms/cms.ts";
import type { CustomerAccountSettings } from "./storefront/customer-accounts.ts";
import type { SystemAddresses, Systems } from "./create-systems.ts";
import type { Fault, SystemName } from "./faults.ts";
import type { OidcSettings } from "./oidc/settings.ts";
import type { ObservedRequest, SandboxRequest } from "./request-log.ts";
import type { StorefrontSettings } from "./storefront/state.ts";

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

/** What tests and the console read and change of each system. Its requests come over HTTP. */
type Handles = { [Name in keyof Systems]: Omit<Systems[Name], "handle"> };

export type Sandbox = Handles & {
  url: string;
  addresses: SystemAddresses;
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
