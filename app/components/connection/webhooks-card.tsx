import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { useRevalidator } from "@remix-run/react";
import { BlockStack, Box, Button, Card, List, SkeletonBodyText, Text } from "@shopify/polaris";
import { useEffect, useRef } from "react";
import { CardHeading } from "../ui/card-heading.tsx";
import { usePolling } from "../hooks/use-polling.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import type { WebhooksPart } from "../../domain/tenants/connection-state.ts";

type Repair = { changed: number; isRefused: boolean };

export function WebhooksCard({
  webhooks,
  isConnected,
}: {
  webhooks: WebhooksPart;
  isConnected: boolean;
}) {
  const { t } = useTranslation("connection");
  const {
    submit,
    isBusy,
    data: repair,
    error,
  } = useScreenAction<Repair>("repair_webhooks", {
    action: "/app/settings/connection",
  });
  useRecheck(isConnected && webhooks.state === "not_connected");
  const { revalidate } = useRevalidator();
  usePolling(webhooks.state === "registering", revalidate);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("webhooks.title")} status={statusOf(t, webhooks)}>
          <Button loading={isBusy} disabled={!isConnected} onClick={() => submit()}>
            {t("webhooks.again")}
          </Button>
        </CardHeading>
        <BlockStack gap="100">
          <Text as="p">{describe(t, webhooks)}</Text>
          {webhooks.state === "known" && webhooks.refused && (
            <>
              <Text as="p">{t("webhooks.refused")}</Text>
              <List>
                {webhooks.refused.map(({ topic, reason }) => (
                  <List.Item key={topic}>
                    {topic}: <span lang="en">{reason}</span>
                  </List.Item>
                ))}
              </List>
            </>
          )}
          <div aria-live="polite">
            {error && (
              <Text as="p" tone="critical">
                {error.code === "webhooks_failed"
                  ? t("webhooks.failed", { reason: error.reason })
                  : error.message}
              </Text>
            )}
            {repair && <Result repair={repair} />}
          </div>
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

export function WebhooksSkeleton() {
  const { t } = useTranslation("connection");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("webhooks.title")} />
        <Box minHeight="28px">
          <SkeletonBodyText lines={2} />
        </Box>
      </BlockStack>
    </Card>
  );
}

/**
 * The store's API call may have found that the access has ended: then the whole page reloads its
 * data.
 */
function useRecheck(isOutdated: boolean): void {
  const { revalidate } = useRevalidator();
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isOutdated || isAsked.current) return;
    isAsked.current = true;
    revalidate();
  }, [isOutdated, revalidate]);
}

function statusOf(t: TFunction<"connection">, webhooks: WebhooksPart) {
  if (webhooks.state === "unknown")
    return { tone: "warning", text: t("webhooks.notChecked") } as const;
  if (webhooks.state === "not_connected") return undefined;
  if (webhooks.state === "registering")
    return { tone: "info", text: t("webhooks.inProgress") } as const;
  return {
    tone: webhooks.missing.length === 0 ? "success" : "warning",
    text: t("webhooks.registered", {
      registered: webhooks.registered,
      total: webhooks.total,
    }),
  } as const;
}

function describe(t: TFunction<"connection">, webhooks: WebhooksPart): string {
  if (webhooks.state === "unknown") return t("webhooks.unknown", { reason: webhooks.reason });
  if (webhooks.state === "not_connected") return t("webhooks.notConnected");
  if (webhooks.state === "registering") return t("webhooks.registering");
  return webhooks.missing.length === 0
    ? t("webhooks.whole")
    : t("webhooks.missing", { names: webhooks.missing.join(", ") });
}

function Result({ repair }: { repair: Repair }) {
  const { t } = useTranslation("connection");
  if (repair.isRefused && repair.changed === 0)
    return (
      <Text as="p" tone="critical">
        {t("webhooks.refusedAgain")}
      </Text>
    );
  return (
    <Text as="p" tone="success">
      {repair.changed === 0
        ? t("webhooks.wasThere")
        : t("webhooks.done", { total: repair.changed })}
    </Text>
  );
}
