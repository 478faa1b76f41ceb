// The connection problems that a merchant has to fix.
import { useTranslation } from "react-i18next";
import { Banner } from "@shopify/polaris";
import type { ConnectionState } from "../../domain/tenants/connection-state.ts";

export function ConnectionBanner({
  shop,
  token,
  scopes,
}: Pick<ConnectionState, "shop" | "token" | "scopes">) {
  const { t } = useTranslation("home");
  const install = {
    url: `/auth/install?shop=${encodeURIComponent(shop)}`,
    target: "_top",
  } as const;
  if (token.state === "reauth_required")
    return (
      <Banner
        tone="critical"
        title={t("banner.ended")}
        action={{ content: t("banner.reconnect"), ...install }}
      >
        <p>{t("banner.endedText")}</p>
      </Banner>
    );
  if (token.state === "none")
    return (
      <Banner
        tone="warning"
        title={t("banner.none")}
        action={{ content: t("banner.connect"), ...install }}
      >
        <p>{t("banner.noneText")}</p>
      </Banner>
    );
  if (token.state === "unknown")
    return (
      <Banner tone="warning" title={t("banner.unknown")}>
        <p>{t("banner.unknownText")}</p>
      </Banner>
    );
  if (scopes.missing.length > 0)
    return (
      <Banner
        tone="warning"
        title={t("banner.scopes")}
        action={{ content: t("banner.review"), ...install }}
      >
        <p>{t("banner.scopesText", { names: scopes.missing.join(", ") })}</p>
      </Banner>
    );
  return null;
}
