import { BlockStack, Card } from "@shopify/polaris";
import { CardHeading } from "./card-heading.tsx";
import { FactRows } from "./fact-rows.tsx";
import { Moment } from "./moment.tsx";

type Props = {
  shop: string;
  token: { state: "none" | "valid" | "reauth_required" | "unknown"; expiresAt: string | null; isRenewed: boolean };
  scopes: { granted: string[] | null; missing: string[] };
};

const STATUS = {
  valid: { tone: "success", text: "Connected" },
  reauth_required: { tone: "critical", text: "Reconnect needed" },
  none: { tone: "warning", text: "Not connected" },
  unknown: { tone: "warning", text: "Not checked" },
} as const;

export function ConnectionCard({ shop, token, scopes }: Props) {
  const rows = [
    { name: "Store", value: shop },
    { name: "Access", value: <Access {...token} /> },
    { name: "Permissions", value: describeScopes(token.state === "valid" ? scopes : { granted: null, missing: [] }, token.state) },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title="Store connection" status={STATUS[token.state]} />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

function Access({ state, expiresAt, isRenewed }: Props["token"]) {
  if (state === "reauth_required") return <>Ended by the store</>;
  if (state === "none") return <>Not granted yet</>;
  if (state === "unknown") return <>Could not be checked</>;
  if (!expiresAt) return <>Granted, without an end</>;
  return (
    <>
      Valid until <Moment at={expiresAt} />
      {isRenewed && ", renewed automatically"}
    </>
  );
}

function describeScopes({ granted, missing }: Props["scopes"], state: Props["token"]["state"]): string {
  if (state !== "valid") return "None in force";
  if (granted === null) return "Not known: the token was entered by hand";
  if (missing.length === 0) return `All granted (${granted.join(", ")})`;
  return `Granted: ${granted.join(", ") || "none"}. Missing: ${missing.join(", ")}`;
}
