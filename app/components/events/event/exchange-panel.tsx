// The request or the response of one attempt. Values are masked until the merchant asks for them.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Box, Button, InlineStack, Text } from "@shopify/polaris";
import type { ExchangeBody } from "../../../domain/bus/exchanges/exchange.ts";
import type { ShownExchange } from "../../../domain/bus/exchanges/read-exchange.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { FactRows } from "../../ui/fact-rows.tsx";
import { toCurl } from "./curl.ts";
import { prettyJson } from "./pretty-json.ts";

type Props = {
  part: "sent" | "response";
  exchange: ShownExchange;
  /** What the failure means, as in the timeline. */
  reason: string | null;
  isBusy: boolean;
  onShow(): void;
};

export function ExchangePanel({ part, exchange, reason, isBusy, onShow }: Props) {
  const { t } = useTranslation("deliveries");
  return (
    <BlockStack gap="300">
      <InlineStack gap="200">
        {exchange.isMasked && (
          <Button onClick={onShow} loading={isBusy}>
            {t("show")}
          </Button>
        )}
        {part === "sent" && <CopyButton label={t("copyCurl")} text={toCurl(exchange.request)} />}
      </InlineStack>
      {exchange.isMasked && (
        <Text as="p" tone="subdued">
          {t("masked")}
        </Text>
      )}
      {part === "sent" ? (
        <Sent exchange={exchange} />
      ) : (
        <Response exchange={exchange} reason={reason} />
      )}
    </BlockStack>
  );
}

function Sent({ exchange: { request, calls } }: { exchange: ShownExchange }) {
  const { t } = useTranslation("deliveries");
  return (
    <>
      {calls > 1 && (
        <Text as="p" tone="subdued">
          {t("lastCall", { calls })}
        </Text>
      )}
      <Code label={t("request")} text={`${request.method} ${request.url}`} />
      <Headers headers={request.headers} />
      <Body body={request.body} />
    </>
  );
}

function Response({ exchange, reason }: { exchange: ShownExchange; reason: string | null }) {
  const { t } = useTranslation("deliveries");
  const { response, message } = exchange;
  const rows = [
    ...(response ? [{ name: t("status"), value: `HTTP ${response.status}` }] : []),
    ...(message === null ? [] : [{ name: t("message"), value: message }]),
  ];
  return (
    <>
      {reason !== null && (
        <Banner tone="critical">
          <p>{reason}</p>
        </Banner>
      )}
      {rows.length > 0 && <FactRows rows={rows} />}
      {response ? (
        <>
          <Headers headers={response.headers} />
          <Body body={response.body} />
        </>
      ) : (
        <Text as="p">{t("noResponse")}</Text>
      )}
    </>
  );
}

function Headers({ headers }: { headers: readonly (readonly [string, string])[] }) {
  const { t } = useTranslation("deliveries");
  if (headers.length === 0) return null;
  return (
    <Code
      label={t("headers")}
      text={headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
    />
  );
}

function Body({ body }: { body: ExchangeBody }) {
  const { t } = useTranslation("deliveries");
  const locale = useLocale();
  if (body.text === "") return <Text as="p">{t("noBody")}</Text>;
  return (
    <>
      <Code label={t("body")} text={prettyJson(body.text)} />
      {body.isCut && (
        <Text as="p" tone="subdued">
          {t("cut", { bytes: formatCount(locale, body.bytes) })}
        </Text>
      )}
    </>
  );
}

function Code({ label, text }: { label: string; text: string }) {
  return (
    <BlockStack gap="100">
      <Text as="h3" variant="headingSm">
        {label}
      </Text>
      <Box background="bg-surface-secondary" padding="300" borderRadius="200">
        <pre
          role="group"
          tabIndex={0}
          aria-label={label}
          style={{ margin: 0, maxHeight: "24rem", overflow: "auto", whiteSpace: "pre-wrap" }}
        >
          <code style={{ overflowWrap: "anywhere" }}>{text}</code>
        </pre>
      </Box>
    </BlockStack>
  );
}
