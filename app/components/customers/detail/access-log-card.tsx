// Who looked at, exported or changed this customer's data: the newest entries, and all as a file.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { useDownload } from "../../hooks/use-download.ts";
import type { AccessView } from "./detail-shape.ts";

type Props = { customerId: number; accesses: AccessView[] };

export default function AccessLogCard({ customerId, accesses }: Props) {
  const { t } = useTranslation("customer");
  const download = useDownload();
  const exportFile = () =>
    download("/app/access-log", new URLSearchParams({ customer: String(customerId) }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("access.title")}>
          <Button onClick={() => void exportFile()}>{t("access.export")}</Button>
        </CardHeading>
        <Text as="p" tone="subdued">
          {accesses.length === 0 ? t("access.empty") : t("access.text")}
        </Text>
        {accesses.map((access) => (
          <BlockStack key={access.id}>
            <InlineStack align="space-between" gap="200">
              <ActorName access={access} />
              <Text as="span">{t(`access.actions.${access.action}`)}</Text>
            </InlineStack>
            <Text as="span" tone="subdued">
              <DateTime at={access.at} />
            </Text>
          </BlockStack>
        ))}
      </BlockStack>
    </Card>
  );
}

function ActorName({ access: { actorKind, actorId } }: { access: AccessView }) {
  const { t } = useTranslation("customer");
  const isStoreKey = actorKind === "operator" && actorId === "tenant_key";
  const name = isStoreKey
    ? t("access.storeKey")
    : t(`access.actors.${actorKind}`, { id: actorId ?? t("access.unknown") });
  return (
    <Text as="span" breakWord>
      {name}
    </Text>
  );
}
