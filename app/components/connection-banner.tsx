// What a merchant must do about the connection, if anything.
import { Banner } from "@shopify/polaris";

type Props = { shop: string; token: { state: "none" | "valid" | "reauth_required" | "unknown" }; scopes: { missing: string[] } };

export function ConnectionBanner({ shop, token, scopes }: Props) {
  const install = { url: `/auth/install?shop=${encodeURIComponent(shop)}`, target: "_top" } as const;
  if (token.state === "reauth_required")
    return (
      <Banner tone="critical" title="The connection to your store has ended" action={{ content: "Reconnect", ...install }}>
        <p>Your store no longer accepts this app&rsquo;s access, so customers, tags and consent are not kept in step until you reconnect.</p>
      </Banner>
    );
  if (token.state === "none")
    return (
      <Banner tone="warning" title="The app is not connected to your store" action={{ content: "Connect", ...install }}>
        <p>Connect it to keep customers, tags and consent in step with your store.</p>
      </Banner>
    );
  if (token.state === "unknown")
    return (
      <Banner tone="warning" title="The connection could not be checked">
        <p>This is a fault on our side and has been logged. Reload the page in a moment.</p>
      </Banner>
    );
  if (scopes.missing.length > 0)
    return (
      <Banner tone="warning" title="The app needs more permissions" action={{ content: "Review permissions", ...install }}>
        <p>Until they are granted, the features that need them do not run: {scopes.missing.join(", ")}.</p>
      </Banner>
    );
  return null;
}
