import { BlockStack, Card } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { FactRows } from "../fact-rows.tsx";
import { HOME_WORDS } from "./home-words.ts";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";

type Props = {
  shop: string;
  token: {
    state: "none" | "valid" | "reauth_required" | "unknown";
    expiresAt: string | null;
    isRenewed: boolean;
  };
  scopes: { granted: string[] | null; missing: string[] };
};

const TONES = {
  valid: "success",
  reauth_required: "critical",
  none: "warning",
  unknown: "warning",
} as const;

export function ConnectionCard({ shop, token, scopes }: Props) {
  const { connection: words } = useWords(HOME_WORDS);
  const rows = [
    { name: words.store, value: shop },
    { name: words.access, value: <Access {...token} /> },
    { name: words.permissions, value: <Scopes {...scopes} state={token.state} /> },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading
          title={words.title}
          status={{ tone: TONES[token.state], text: words.states[token.state] }}
        />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

function Access({ state, expiresAt, isRenewed }: Props["token"]) {
  const { connection: words } = useWords(HOME_WORDS);
  if (state === "reauth_required") return <>{words.ended}</>;
  if (state === "none") return <>{words.notGranted}</>;
  if (state === "unknown") return <>{words.notChecked}</>;
  if (!expiresAt) return <>{words.endless}</>;
  return (
    <>
      {words.until} <Moment at={expiresAt} />
      {isRenewed && `, ${words.renewed}`}
    </>
  );
}

function Scopes({ granted, missing, state }: Props["scopes"] & { state: Props["token"]["state"] }) {
  const { connection: words } = useWords(HOME_WORDS);
  if (state !== "valid") return <>{words.noneInForce}</>;
  if (granted === null) return <>{words.byHand}</>;
  return (
    <>
      {missing.length === 0
        ? words.all(granted.join(", "))
        : words.some(granted.join(", ") || words.nothing, missing.join(", "))}
    </>
  );
}
