import { useTranslation } from "react-i18next";
import { useRevalidator, useSearchParams } from "@remix-run/react";
import { Card, Text } from "@shopify/polaris";
import type { RunPage } from "../../../domain/customers/bulk/list-runs.ts";
import { ScreenPage } from "../../frame/screen-page.tsx";
import { usePolling } from "../../hooks/use-polling.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { PageGutter } from "../../ui/layout.tsx";
import { Pager } from "../../ui/pager.tsx";
import { isOpen } from "./change-state.tsx";
import { ChangesTable } from "./changes-table.tsx";

export function ChangesScreen({ next, ...page }: RunPage) {
  const { t } = useTranslation(["changes", "customers"]);
  const [address] = useSearchParams();
  const { revalidate, state } = useRevalidator();
  usePolling(state === "idle" && page.runs.some(isOpen), revalidate);
  const isEmpty = page.runs.length === 0 && !address.has("cursor");
  return (
    <ScreenPage title={t("title")} back={{ content: t("customers:title"), to: "/app/customers" }}>
      {isEmpty ? (
        <Card>
          <EmptyState
            heading={t("empty.title")}
            action={{ content: t("empty.action"), url: "/app/customers" }}
          >
            <p>{t("empty.text")}</p>
          </EmptyState>
        </Card>
      ) : (
        <>
          <PageGutter>
            <Text as="p">{t("intro")}</Text>
          </PageGutter>
          <Card padding="0">
            <ChangesTable {...page} />
            <Pager next={next} />
          </Card>
        </>
      )}
    </ScreenPage>
  );
}
