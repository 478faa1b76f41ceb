// The storefront's own subscriptions of a customer beside our marketing consent. Shopify's email tools
// follow the storefront's state; the systems that this service feeds follow the consent.
import type { Account } from "../../identity/account.ts";

export type Subscription = {
  channel: "email" | "sms";
  /** The storefront's word in small letters; null when the storefront knows none. */
  state: string | null;
  /** Whether the storefront's state and our marketing consent contradict each other. */
  differs: boolean;
};

/** Empty for an account without a storefront customer. */
export function compareSubscriptions(account: Account, hasMarketing: boolean): Subscription[] {
  if (!account.storefront_customer_gid) return [];
  const compare = (channel: Subscription["channel"], stored: string | null): Subscription => {
    const state = stored?.toLowerCase() ?? null;
    return { channel, state, differs: state !== null && (state === "subscribed") !== hasMarketing };
  };
  return [
    compare("email", account.email_subscription_status),
    compare("sms", account.sms_subscription_status),
  ];
}
