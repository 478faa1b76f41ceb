/**
 * Starts the sandbox: every outside system as a real HTTP server on one loopback port, one path
 * prefix each. A request is recorded, then meets the planned fault if there is one, then the system
 * itself.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { passOn, PROXY_PATH } from "./storefront/app-proxy.ts";
import { createBackend } from "./systems/backend.ts";
import { createCms } from "./cms/cms.ts";
import { initialCmsState } from "./cms/state.ts";
import { answerControl } from "./console/control.ts";
import { createPlayground } from "./console/playground/playground.ts";
import { createLiveConsole } from "./console/live/live-console.ts";
import { createCustomerAccounts, isCustomerAccountPath } from "./storefront/customer-accounts.ts";
import { createEmail } from "./systems/email.ts";
import { createErp } from "./systems/erp.ts";
import { json, parseBody, readBody, text } from "./exchange.ts";
import type { Call, ApiResponse } from "./exchange.ts";
import { createFaultBook } from "./faults.ts";
import type { SystemName } from "./faults.ts";
import { createFederated, initialFederatedState } from "./oidc/federated.ts";
import { hasLoopbackHost, isOriginOf, isSameSiteOrProgram } from "./loopback-guard.ts";
import { answerPage } from "./console/pages.ts";
import { createProfilePlatform } from "./systems/profile-platform.ts";
import { createObservers } from "./observers.ts";
import { createRequestLog } from "./request-log.ts";
import type { ObservedRequest } from "./request-log.ts";
import { createRetailAnalyticsA } from "./systems/retail-analytics-a.ts";
import { createRetailAnalyticsB } from "./systems/retail-analytics-b.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { serveWithFault } from "./serve-with-fault.ts";
import { openStateFile } from "./state-file.ts";
import { ACCOUNTS_PATH, answerAccounts } from "./storefront/accounts/account-pages.ts";
import { OPTIONAL_SCOPES } from "./storefront/scopes.ts";
import { answerStore } from "./storefront/theme/store-page.ts";
import { visitOf } from "./storefront/theme/visit.ts";
import { createStorefront } from "./storefront/storefront.ts";
import { createWebAnalytics } from "./systems/web-analytics.ts";
import { answerUiExtensions, UI_EXTENSIONS_PATH } from "./ui-extensions/extension-frame.ts";

export type { Sandbox, SandboxOptions } from "./sandbox.ts";

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
/** The event stream of the console's pages. */
const EVENTS_PATH = "/_control/events";
// Longer than any client keeps an idle connection, so that none is closed while a request is sent.
const KEEP_ALIVE_MS = 65_000;

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { app } = options;
  const appUrl = (): string => (typeof app.url === "function" ? app.url() : app.url);
  const file = openStateFile(options.stateFile, {
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
  const { state, saving } = file;
  const credentials = {
    url: appUrl,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    handle: app.handle ?? "customer-identity",
  };
  let url = "";
  const addresses = { url: () => url, appUrl };
  const stopping = new AbortController();
  const storefront = createStorefront(state.storefront, saving, credentials, options.storefront);
  const systems = {
    storefront,
    customerAccounts: createCustomerAccounts(
      storefront,
      addresses,
      app.clientId,
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
    backend: createBackend(state.backend, saving, {
      url: appUrl,
      webhookSecret: app.webhookSecret,
      stopped: stopping.signal,
    }),
  };
  const faults = createFaultBook();
  const log = createRequestLog();
  const observers = createObservers<ObservedRequest>();

  /** Reports the request now and when it is answered. */
  const observe = (
    system: SystemName,
    request: ObservedRequest["request"],
    response: ServerResponse,
  ): void => {
    const startedAt = performance.now();
    observers.notify({ system, request, isAnswered: false, status: null, ms: 0 });
    response.once("close", () =>
      observers.notify({
        system,
        request,
        isAnswered: true,
        status: response.headersSent ? response.statusCode : null,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
      }),
    );
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!hasLoopbackHost(request.headers))
      return send(response, text(403, "The sandbox accepts requests to loopback host names only"));
    const asked = new URL(request.url ?? "/", "http://sandbox");
    const bytes = await readBody(request);
    if (bytes === null) return send(response, text(413, "Too large"));
    const body = bytes.toString("utf8");
    const method = request.method ?? "GET";
    const found = PREFIXES.find(
      ([prefix]) => asked.pathname === prefix || asked.pathname.startsWith(`${prefix}/`),
    );
    const path = found ? asked.pathname.slice(found[0].length) || "/" : asked.pathname;
    const call: Call = {
      method,
      path,
      query: asked.searchParams,
      headers: request.headers,
      address: request.socket.remoteAddress ?? "",
      text: body,
      bytes,
      body: parseBody(body, request.headers["content-type"]),
    };
    if (!found && path === EVENTS_PATH && method === "GET")
      return isSameSiteOrProgram(request.headers)
        ? live.open(response)
        : send(response, text(403, "Only the console's own pages may listen"));
    if (!found) return send(response, await dispatch(call));
    const system =
      found[1] === "storefront" && isCustomerAccountPath(path) ? "customerAccounts" : found[1];
    const target = path + asked.search;
    const received = {
      method,
      path: target,
      headers: request.headers,
      body: call.body,
      at: new Date(),
    };
    log.record(system, received);
    observe(system, received, response);
    await serveWithFault(
      faults.take(system, target),
      call,
      systems[system].handle,
      response,
      send,
      stopping.signal,
    );
  };

  const dispatch = (call: Call): ApiResponse | Promise<ApiResponse> => {
    if (call.path === "/app-bridge.js") {
      const script = readFileSync(new URL("./app-bridge-double.js", import.meta.url), "utf8");
      return {
        status: 200,
        headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
        body: script,
      };
    }
    if (["/session-token", "/extensions", "/scopes"].includes(call.path))
      return answerAppBridge(call);
    if (call.path.startsWith("/store/")) return answerStore(sandbox, call);
    if (call.path.startsWith(`${ACCOUNTS_PATH}/`)) return answerAccounts(sandbox, call);
    if (call.path.startsWith(`${UI_EXTENSIONS_PATH}/`)) return answerUiExtensions(call, appUrl());
    if (call.path === PROXY_PATH || call.path.startsWith(`${PROXY_PATH}/`)) {
      const { shop, customerId } = visitOf(call);
      return passOn(call, {
        appUrl: appUrl(),
        secret: app.clientSecret,
        shop: shop || (systems.storefront.shops()[0] ?? ""),
        customerId: customerId || null,
      });
    }
    return call.path.startsWith("/_control/")
      ? answerControl(sandbox, { live, playground }, call)
      : answerPage(sandbox, live, call);
  };

  // What App Bridge asks the admin for. A session token opens the app's admin: of all web pages only the
  // app's own may read one.
  const answerAppBridge = async (call: Call): Promise<ApiResponse> => {
    const { origin } = call.headers;
    if (origin !== undefined && !isOriginOf(appUrl(), origin))
      return text(403, "Session tokens are issued to the app's own pages only");
    const cors = {
      ...(origin && { "access-control-allow-origin": origin }),
      vary: "Origin",
      "cache-control": "no-store",
    };
    const shop = call.query.get("shop") ?? "";
    if (!systems.storefront.shops().includes(shop))
      return text(404, "There is no such store", cors);
    if (call.path === "/scopes") {
      if (call.method !== "POST") return text(405, "POST", { ...cors, allow: "POST" });
      const scopes = (call.query.get("wanted") ?? "")
        .split(",")
        .filter((scope) => OPTIONAL_SCOPES.includes(scope));
      await systems.storefront.grantScopes(shop, scopes);
      return json(200, scopes, cors);
    }
    return call.path === "/extensions"
      ? json(200, systems.storefront.extensions(shop), cors)
      : text(200, await systems.storefront.sessionToken(shop), cors);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      send(
        response,
        json(500, {
          error: "sandbox_failure",
          message: error instanceof Error ? error.stack : String(error),
        }),
      );
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const sandbox: Sandbox = {
    url,
    addresses: {
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
    },
    ...systems,
    failNext: (system, fault, times) => faults.failNext(system, fault, times),
    clearFaults: (system) => faults.clear(system),
    standingFault: (system) => faults.standing(system),
    hasWaitingFault: () => faults.isWaiting(),
    requests: (system) => log.requests(system),
    onRequest: (listener) => observers.add(listener),
    stateOf: (system) =>
      system === "customerAccounts"
        ? { signIns: systems.customerAccounts.signIns() }
        : state[system],
    appUrl,
    async stop() {
      stopping.abort();
      live.close();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      file.close();
    },
  };
  const live = createLiveConsole(sandbox, { ...options.console, stopped: stopping.signal });
  const playground = createPlayground(sandbox, {
    shop: () => live.shop(),
    ...(options.console?.adminKey !== undefined && { adminKey: options.console.adminKey }),
  });
  return sandbox;
}

function send(response: ServerResponse, reply: ApiResponse): void {
  const body = Buffer.from(reply.body ?? "");
  const length = reply.status === 204 ? {} : { "content-length": body.length };
  response.writeHead(reply.status, {
    "x-content-type-options": "nosniff",
    ...length,
    ...reply.headers,
  });
  response.end(body);
}
