// One privacy request.
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, Layout, Link, Text } from "@shopify/polaris";
import type { BoardRequest } from "../../domain/compliance/board/request-list.ts";
import { ScreenPage } from "../frame/screen-page.tsx";
import { useDownload } from "../hooks/use-download.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { FactRows } from "../ui/fact-rows.tsx";
import { PrivacyActions } from "./privacy-actions.tsx";
import { Due, Explanation, isOpen, Progress, StateBadge, useOwnerName } from "./request-facts.tsx";
import { StepsCard } from "./steps-card.tsx";
import { useRequestActions } from "./use-request-actions.ts";
import { useRequestProgress } from "./use-request-progress.ts";

type Props = { request: BoardRequest; mark: string };

export function RequestScreen({ request, mark }: Props) {
  const { t } = useTranslation("privacy");
  useRequestProgress(isOpen(request), mark);
  return (
    <ScreenPage
      title={t("number", { id: request.id })}
      back={{ content: t("title"), to: "/app/privacy" }}
    >
      <Layout>
        <Layout.Section>
          <StepsCard request={request} />
        </Layout.Section>
        <Layout.Section variant="oneThird">
          <BlockStack gap="400">
            <FactsCard request={request} />
            <ProofCard request={request} />
          </BlockStack>
        </Layout.Section>
      </Layout>
    </ScreenPage>
  );
}

function FactsCard({ request }: { request: BoardRequest }) {
  const { t } = useTranslation("privacy");
  const action = useRequestActions()(request.id);
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t(`kinds.${request.kind}`)}>
          <StateBadge request={request} />
        </CardHeading>
        <div aria-live="polite">
          <Progress request={request} />
        </div>
        <FactRows
          rows={[
            { name: t("columns.customer"), value: <Customer request={request} /> },
            { name: t("columns.received"), value: <DateTime at={request.received_at} /> },
            {
              name: request.due_in_days === null ? t("columns.finished") : t("columns.due"),
              value: <Due request={request} />,
            },
            {
              name: t("from"),
              value: sourceOf(t, request),
            },
          ]}
        />
        <Explanation request={request} />
        <PrivacyActions request={request} action={action} />
      </BlockStack>
    </Card>
  );
}

function sourceOf(
  t: TFunction<"privacy">,
  { is_by_hand: isByHand, external_id: id }: BoardRequest,
): string {
  if (isByHand) return t("byHand");
  return id === null ? t("byStore") : t("byStoreNumbered", { id });
}

function Customer({ request }: { request: BoardRequest }) {
  const { t } = useTranslation("privacy");
  const name = useOwnerName()(request);
  const { owner } = request;
  if (owner.kind !== "customer") return name;
  return (
    <BlockStack>
      {owner.userId === null ? (
        <Text as="span">{name}</Text>
      ) : (
        <Link url={`/app/customers/${owner.userId}`}>{name}</Link>
      )}
      {owner.email && owner.email !== name && <Text as="span">{owner.email}</Text>}
      {owner.others > 0 && (
        <Text as="span" tone="subdued">
          {t("owner.others", { count: owner.others })}
        </Text>
      )}
    </BlockStack>
  );
}

function ProofCard({ request }: { request: BoardRequest }) {
  const { t } = useTranslation("privacy");
  const download = useDownload();
  return (
    <Card>
      <BlockStack gap="300" inlineAlign="start">
        <CardHeading title={t("proof.title")} />
        <Text as="p">{t("proof.text")}</Text>
        <Button onClick={() => void download(`/app/privacy/${request.id}/proof`)}>
          {t("proof.download")}
        </Button>
      </BlockStack>
    </Card>
  );
}
