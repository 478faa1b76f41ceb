import type { useAppBridge } from "@shopify/app-bridge-react";

type Bridge = ReturnType<typeof useAppBridge>;

/** Asks the merchant for one more permission, in the admin's own dialog. False when they decline. */
export async function requestScope(scope: string): Promise<boolean> {
  try {
    const { scopes } = (window as unknown as { shopify: Bridge }).shopify;
    const { result } = await scopes.request([scope]);
    return result === "granted-all";
  } catch {
    return false;
  }
}
