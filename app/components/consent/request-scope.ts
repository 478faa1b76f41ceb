import type { useAppBridge } from "@shopify/app-bridge-react";

type Bridge = ReturnType<typeof useAppBridge>;

/** Asks the merchant for more permissions, in the admin's own dialog. False when they decline. */
export async function requestScopes(wanted: readonly string[]): Promise<boolean> {
  try {
    const { scopes } = (window as unknown as { shopify: Bridge }).shopify;
    const { result } = await scopes.request([...wanted]);
    return result === "granted-all";
  } catch {
    return false;
  }
}
