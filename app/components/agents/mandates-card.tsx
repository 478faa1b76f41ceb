import { useTranslation } from "react-i18next";
import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Card,
  EmptySearchResult,
  IndexTable,
  Link,
  Text,
} from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import type { ListedMandate } from "../../domain/agents/mandate-list.ts";
import { useCoverLabel } from "./agent-labels.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { formatAmount } from "../i18n/format-number.ts";
import { FilterBar } from "../ui/filter-bar.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { Pager } from "../ui/pager.tsx";
import { showToast } from "../ui/toast.ts";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";

type Status = "active" | "used" | "revoked" | "expired";
type Props = {
  mandates: readonly ListedMandate[];
  next: string | null;
  filters: { status?: string | undefined; email?: string | undefined };
};

const TONES: Record<Status, "success" | "info" | "warning" | undefined> = {
  active: "success",
  used: "info",
  revoked: "warning",
  expired: undefined,
};

export function MandatesCard({ mandates, next, filters }: Props) {
  const { t } = useTranslation("agents");

  const isFiltered = filters.status !== undefined || filters.email !== undefined;
  const revoke = useScreenAction("revoke", { onSuccess: () => showToast(t("revoke.done")) });
  if (mandates.length === 0 && !isFiltered)
    return (
      <Card>
        <EmptyState
          heading={t("mandatesEmpty.title")}
          action={{ content: t("mandatesEmpty.action"), url: "/app/agents" }}
        >
          <p>{t("mandatesEmpty.text")}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar
        filters={[
          {
            name: "status",
            label: t("filters.status"),
            kind: "choice",
            value: filters.status,
            choices: Object.entries(t("statuses", { returnObjects: true })).map(
              ([value, label]) => ({ value, label }),
            ),
          },
          { name: "email", label: t("filters.email"), kind: "email", value: filters.email },
        ]}
      />
      {revoke.error && (
        <Box padding="400">
          <Banner tone="critical">
            <p>{revoke.error.message}</p>
          </Banner>
        </Box>
      )}
      <ResponsiveRows>
        <IndexTable
          selectable={false}
          itemCount={mandates.length}
          resourceName={{ singular: t("mandates"), plural: t("mandates") }}
          emptyState={
            <EmptySearchResult
              title={t("nothingFound.title")}
              description={t("nothingFound.text")}
            />
          }
          headings={[
            { title: t("mandateColumns.person") },
            { title: t("mandateColumns.agents") },
            { title: t("mandateColumns.most") },
            { title: t("mandateColumns.spent") },
            { title: t("mandateColumns.left") },
            { title: t("mandateColumns.scope") },
            { title: t("mandateColumns.status") },
            { title: t("mandateColumns.expires") },
            { title: t("mandateColumns.end") },
          ]}
        >
          {mandates.map((mandate, at) => (
            <Row
              key={mandate.mandate_id}
              mandate={mandate}
              at={at}
              isBusy={revoke.submitted?.mandate_id === mandate.mandate_id}
              onRevoke={() => revoke.submit({ mandate_id: mandate.mandate_id })}
            />
          ))}
        </IndexTable>
      </ResponsiveRows>
      <Pager next={next} />
    </Card>
  );
}

function Row({
  mandate,
  at,
  isBusy,
  onRevoke,
}: {
  mandate: ListedMandate;
  at: number;
  isBusy: boolean;
  onRevoke(): void;
}) {
  const { t } = useTranslation("agents");
  const coverLabel = useCoverLabel();
  const locale = useLocale();
  const who = mandate.email ?? t("person", { id: mandate.customer_id });
  const amount = (value: string) => formatAmount(locale, value, mandate.currency);
  const tone = TONES[mandate.status];
  return (
    <IndexTable.Row id={mandate.mandate_id} position={at}>
      <RowCell>
        <Link url={`/app/customers/${mandate.customer_id}`}>{who}</Link>
      </RowCell>
      <RowCell label={t("mandateColumns.agents")}>
        {mandate.agents.join(", ") || t("anyAgent")}
      </RowCell>
      <RowCell label={t("mandateColumns.most")}>{amount(mandate.max_amount)}</RowCell>
      <RowCell label={t("mandateColumns.spent")}>{amount(mandate.spent_amount)}</RowCell>
      <RowCell label={t("mandateColumns.left")}>
        {mandate.status === "active" ? amount(mandate.remaining) : "-"}
      </RowCell>
      <RowCell label={t("mandateColumns.scope")}>
        <BlockStack>
          {coverLabel(mandate.scope)}
          {mandate.usage === "multi" && (
            <Text as="span" variant="bodySm" tone="subdued">
              {t("multi")}
            </Text>
          )}
        </BlockStack>
      </RowCell>
      <RowCell label={t("mandateColumns.status")}>
        <Badge {...(tone && { tone })}>{t(`statuses.${mandate.status}`)}</Badge>
      </RowCell>
      <RowCell label={t("mandateColumns.expires")}>
        <DateTime at={mandate.expires_at} />
      </RowCell>
      <RowCell>
        {mandate.status === "active" && (
          <ConfirmButton
            label={t("revoke.button")}
            accessibilityLabel={t("revoke.of", { amount: amount(mandate.max_amount), who })}
            title={t("revoke.title")}
            confirm={t("revoke.confirm")}
            isDestructive
            variant="plain"
            isBusy={isBusy}
            onConfirm={onRevoke}
          >
            <Text as="p">{t("revoke.text")}</Text>
          </ConfirmButton>
        )}
      </RowCell>
    </IndexTable.Row>
  );
}
