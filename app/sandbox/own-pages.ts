/** What a sandbox serves besides its systems: App Bridge, the stores' pages, the app proxy and the console. */
import { answerAppBridge, isAppBridgePath } from "./app-bridge.ts";
import { answerControl } from "./console/control.ts";
import type { createLiveConsole } from "./console/live/live-console.ts";
import { answerPage } from "./console/pages.ts";
import type { createPlayground } from "./console/playground/playground.ts";
import type { ApiResponse, Call } from "./exchange.ts";
import type { Sandbox } from "./sandbox.ts";
import { ACCOUNTS_PATH, answerAccounts } from "./storefront/accounts/account-pages.ts";
import { passOn, PROXY_PATH } from "./storefront/app-proxy.ts";
import { answerStore } from "./storefront/theme/store-page.ts";
import { visitOf } from "./storefront/theme/visit.ts";
import { answerUiExtensions, UI_EXTENSIONS_PATH } from "./ui-extensions/extension-frame.ts";

export type OwnPages = {
  sandbox: Sandbox;
  live: ReturnType<typeof createLiveConsole>;
  playground: ReturnType<typeof createPlayground>;
  /** Signs what the app proxy passes on. */
  clientSecret: string;
};

export function answerOwnPage(
  { sandbox, live, playground, clientSecret }: OwnPages,
  call: Call,
): ApiResponse | Promise<ApiResponse> {
  const { path } = call;
  if (isAppBridgePath(path)) return answerAppBridge(sandbox, call);
  if (path.startsWith("/store/")) return answerStore(sandbox, call);
  if (path.startsWith(`${ACCOUNTS_PATH}/`)) return answerAccounts(sandbox, call);
  if (path.startsWith(`${UI_EXTENSIONS_PATH}/`)) return answerUiExtensions(call, sandbox.appUrl());
  if (path === PROXY_PATH || path.startsWith(`${PROXY_PATH}/`)) {
    const { shop, customerId } = visitOf(call);
    return passOn(call, {
      appUrl: sandbox.appUrl(),
      secret: clientSecret,
      shop: shop || (sandbox.storefront.shops()[0] ?? ""),
      customerId: customerId || null,
    });
  }
  return path.startsWith("/_control/")
    ? answerControl(sandbox, { live, playground }, call)
    : answerPage(sandbox, live, call);
}
