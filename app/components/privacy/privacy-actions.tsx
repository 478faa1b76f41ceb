import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import type { BoardRequest } from "../../domain/compliance/board/request-list.ts";

export type RequestIntent = "retry" | "export" | "handed_over";
export type RequestAction = {
  run(intent: RequestIntent): void;
  isBusy(intent: RequestIntent): boolean;
  problem: string | null;
  url: string | null;
};

/** The actions of one request. */
export function PrivacyActions({
  request,
  action: { run, isBusy, problem, url },
}: {
  request: BoardRequest;
  action: RequestAction;
}) {
  const { t } = useTranslation("privacy");
  return (
    <BlockStack gap="200" inlineAlign="start">
      <InlineStack gap="300">
        {request.can_retry && (
          <Button
            variant="plain"
            loading={isBusy("retry")}
            accessibilityLabel={t("retryOf", { id: request.id })}
            onClick={() => run("retry")}
          >
            {t("retry")}
          </Button>
        )}
        {request.store_customers_url !== null && (
          <Link url={request.store_customers_url} target="_top">
            {t("eraseInStore")}
          </Link>
        )}
        {request.has_export && (
          <Button
            variant="plain"
            loading={isBusy("export")}
            accessibilityLabel={t("exportOf", { id: request.id })}
            onClick={() => run("export")}
          >
            {t("export")}
          </Button>
        )}
        {request.has_export && request.state === "failed" && (
          <ConfirmButton
            label={t("handed")}
            title={t("handedTitle")}
            confirm={t("handed")}
            variant="plain"
            isBusy={isBusy("handed_over")}
            onConfirm={() => run("handed_over")}
          >
            <Text as="p">{t("handedText")}</Text>
          </ConfirmButton>
        )}
      </InlineStack>
      <div aria-live="polite" style={{ whiteSpace: "normal", maxWidth: "18rem" }}>
        {problem && (
          <Text as="p" tone="critical">
            {problem}
          </Text>
        )}
        {url && (
          <Text as="p">
            {t("exportReady")}{" "}
            <Link url={url} target="_blank">
              {t("openExport")}
            </Link>
          </Text>
        )}
      </div>
    </BlockStack>
  );
}
