// The published versions. Going back publishes an earlier one again: the history only grows.
import { useTranslation } from "react-i18next";
import { Badge, Banner, BlockStack, Box, Button, Card, InlineStack, Text } from "@shopify/polaris";
import type { BannerWork, ListedBanner } from "../../../domain/tenants/banner/banner-drafts.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { showToast } from "../../ui/toast.ts";

export function HistoryCard({ work: { versions, published } }: { work: BannerWork }) {
  const { t } = useTranslation("banner");
  const restore = useScreenAction<{ version: number }>("restore", {
    onSuccess: ({ version }) => showToast(t("published", { version })),
  });
  const asked = restore.submitted?.version;
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("history.title")} />
        {versions.length === 0 && (
          <Text as="p" tone="subdued">
            {t("history.empty")}
          </Text>
        )}
        {restore.error && (
          <Banner tone="critical">
            <p>{restore.error.message}</p>
          </Banner>
        )}
        {versions.map((version) => (
          <Box
            key={version.version}
            paddingBlockStart="200"
            borderBlockStartWidth="025"
            borderColor="border-secondary"
          >
            <InlineStack align="space-between" blockAlign="center" gap="200">
              <Version version={version} isCurrent={version.version === published} />
              {version.version !== published && (
                <Button
                  loading={asked === version.version}
                  accessibilityLabel={t("history.restoreVersion", { version: version.version })}
                  onClick={() => restore.submit({ version: version.version })}
                >
                  {t("history.restore")}
                </Button>
              )}
            </InlineStack>
          </Box>
        ))}
        {(versions.at(-1)?.version ?? 1) > 1 && (
          <Text as="p" tone="subdued">
            {t("history.newest", { count: versions.length })}
          </Text>
        )}
      </BlockStack>
    </Card>
  );
}

function Version({ version, isCurrent }: { version: ListedBanner; isCurrent: boolean }) {
  const { t } = useTranslation("banner");
  return (
    <BlockStack gap="050">
      <InlineStack gap="200" blockAlign="center">
        <Text as="span" fontWeight="semibold">
          {t("history.version", { version: version.version })}
        </Text>
        {isCurrent && <Badge tone="success">{t("history.current")}</Badge>}
        {version.restoredFrom !== null && (
          <Badge>{t("history.restored", { version: version.restoredFrom })}</Badge>
        )}
      </InlineStack>
      <Text as="span" tone="subdued">
        <DateTime at={version.at} />
        {version.by === null ? "" : ` · ${t("history.by", { id: version.by })}`}
      </Text>
    </BlockStack>
  );
}
