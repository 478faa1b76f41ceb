// What a merchant must do about the connection, if anything.
import { Banner } from "@shopify/polaris";
import { HOME_WORDS } from "./home-words.ts";
import { useWords } from "../words.tsx";

type Props = {
  shop: string;
  token: { state: "none" | "valid" | "reauth_required" | "unknown" };
  scopes: { missing: string[] };
};

export function ConnectionBanner({ shop, token, scopes }: Props) {
  const { banner } = useWords(HOME_WORDS);
  const install = {
    url: `/auth/install?shop=${encodeURIComponent(shop)}`,
    target: "_top",
  } as const;
  if (token.state === "reauth_required")
    return (
      <Banner
        tone="critical"
        title={banner.ended}
        action={{ content: banner.reconnect, ...install }}
      >
        <p>{banner.endedText}</p>
      </Banner>
    );
  if (token.state === "none")
    return (
      <Banner tone="warning" title={banner.none} action={{ content: banner.connect, ...install }}>
        <p>{banner.noneText}</p>
      </Banner>
    );
  if (token.state === "unknown")
    return (
      <Banner tone="warning" title={banner.unknown}>
        <p>{banner.unknownText}</p>
      </Banner>
    );
  if (scopes.missing.length > 0)
    return (
      <Banner tone="warning" title={banner.scopes} action={{ content: banner.review, ...install }}>
        <p>{banner.scopesText(scopes.missing.join(", "))}</p>
      </Banner>
    );
  return null;
}
