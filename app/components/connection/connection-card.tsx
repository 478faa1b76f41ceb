import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { ConnectionState } from "../../domain/tenants/connection-state.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { FactRows } from "../ui/fact-rows.tsx";
import { DateTime } from "../ui/date-time.tsx";

type Props = Pick<ConnectionState, "shop" | "token" | "scopes">;

const TONES = {
  valid: "success",
  reauth_required: "critical",
  none: "warning",
  unknown: "warning",
} as const;

export function ConnectionCard({ shop, token, scopes }: Props) {
  const { t } = useTranslation("connection");
  const rows = [
    { name: t("connection.store"), value: shop },
    { name: t("connection.access"), value: <Access {...token} /> },
    { name: t("connection.permissions"), value: <Scopes {...scopes} state={token.state} /> },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading
          title={t("connection.title")}
          status={{ tone: TONES[token.state], text: t(`connection.states.${token.state}`) }}
        />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

function Access({ state, expiresAt, isRenewed }: Props["token"]) {
  const { t } = useTranslation("connection");
  if (state === "reauth_required") return <>{t("connection.ended")}</>;
  if (state === "none") return <>{t("connection.notGranted")}</>;
  if (state === "unknown") return <>{t("connection.notChecked")}</>;
  if (!expiresAt) return <>{t("connection.endless")}</>;
  return (
    <>
      {t("connection.until")} <DateTime at={expiresAt} />
      {isRenewed && `, ${t("connection.renewed")}`}
    </>
  );
}

function Scopes({ granted, missing, state }: Props["scopes"] & { state: Props["token"]["state"] }) {
  const { t } = useTranslation("connection");
  if (state !== "valid") return <>{t("connection.noneInForce")}</>;
  if (granted === null) return <>{t("connection.byHand")}</>;
  return (
    <>
      {missing.length === 0
        ? t("connection.all", { names: granted.join(", ") })
        : t("connection.some", {
            granted: granted.join(", ") || t("connection.nothing"),
            missing: missing.join(", "),
          })}
    </>
  );
}
