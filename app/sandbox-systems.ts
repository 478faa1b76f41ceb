// Connects the sandbox to the service: its addresses replace the ones that are not set, and the
// demo store is created.
import { join } from "node:path";
import { DEMO_SHOP, prepareDemoStore } from "./demo-store.ts";
import { startDemo, type RunningDemo } from "./demo/start.ts";
import type { Ctx } from "./context.server.ts";
import type { Config } from "./runtime/config.ts";
import { startSandbox } from "./sandbox/server.ts";

const DEFAULT_PORT = 4010;

export type SandboxSystems = {
  /** The configuration with the sandbox's addresses filled in. */
  config: Config;
  /** Where the simulated store admin and its App Bridge are. */
  admin: { appBridgeUrl: string; adminOrigin: string };
  prepareDemo(ctx: Ctx): Promise<void>;
  /** The demo store's history and its traffic, in the background. Stop it before `ctx` is closed. */
  startDemo(ctx: Ctx): RunningDemo;
  /** The text printed at start: addresses and things to try. */
  welcome(ctx: Ctx): string;
  stop(): Promise<void>;
};

export async function startSandboxSystems(
  config: Config,
  options: { baseUrl: string; dataDir: string },
): Promise<SandboxSystems> {
  const sandbox = await startSandbox({
    port: config.SANDBOX_PORT ?? (config.PORT === 0 ? 0 : DEFAULT_PORT),
    app: {
      url: options.baseUrl,
      clientId: config.PLATFORM_CLIENT_ID,
      clientSecret: config.PLATFORM_APP_SECRET[0] as string,
      webhookSecret: config.WORKER_WEBHOOK_SECRET,
    },
    // Retail analytics A is a folder in the demo store.
    console: { adminKey: config.ADMIN_KEY, byFile: ["retailAnalyticsA"] },
    stateFile: join(options.dataDir, "sandbox.json"),
  });
  const { addresses } = sandbox;
  return {
    config: {
      ...config,
      STOREFRONT_URL_TEMPLATE: addresses.storefrontUrlTemplate,
      CMS_API_URL: addresses.cmsApiUrl,
      ANALYTICS_API_URL: addresses.analyticsApiUrl,
      EMAIL_API_URL: addresses.emailApiUrl,
      FEDERATED_ISSUER: addresses.federatedIssuer,
    },
    admin: { appBridgeUrl: addresses.appBridgeUrl, adminOrigin: sandbox.url },
    async prepareDemo(ctx) {
      sandbox.storefront.furnish(DEMO_SHOP);
      await prepareDemoStore(ctx, {
        ...addresses,
        retailAnalyticsAUrl: `file:${join(options.dataDir, "retail-analytics-a")}`,
        storeOrigin: sandbox.url,
        customersCollectionId: sandbox.cms.customersCollectionId,
        tagsCollectionId: sandbox.cms.tagsCollectionId,
        siteId: sandbox.cms.siteId,
        federatedClient: { id: sandbox.federated.clientId, secret: sandbox.federated.clientSecret },
      });
    },
    startDemo: (ctx) => startDemo(ctx, sandbox, DEMO_SHOP),
    welcome: (ctx) => {
      const links = {
        Store: `${sandbox.url}/store/${DEMO_SHOP}`,
        Admin: `${addresses.storefrontUrlTemplate.replace("{shop}", DEMO_SHOP)}/admin/apps/${ctx.config.PLATFORM_CLIENT_ID}`,
        Console: `${sandbox.url}/`,
        Inbox: `${sandbox.url}/inbox`,
        API: `${ctx.baseUrl}/docs`,
        Operator: `${ctx.baseUrl}/setup?key=${ctx.config.ADMIN_KEY}`,
      };
      const lines = Object.entries(links).map(([name, url]) => `  ${`${name}:`.padEnd(10)}${url}`);
      return `\n${lines.join("\n")}\n  ADMIN_KEY=${ctx.config.ADMIN_KEY}\n\n`;
    },
    stop: () => sandbox.stop(),
  };
}
