// Whether the check repeats itself each week, when it last did, and when it will again.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, Text } from "@shopify/polaris";
import type { WeeklyCheck } from "../../../domain/storefront-check/weekly-check.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { FactRows } from "../../ui/fact-rows.tsx";
import { showToast } from "../../ui/toast.ts";

export function WeeklyCard({ weekly }: { weekly: WeeklyCheck }) {
  const { t } = useTranslation("storefront-check");
  const { isOn, lastAt, problem, isDue, nextAt } = weekly;
  const { submit, isBusy, error } = useScreenAction<{ is_on: boolean }>("weekly", {
    onSuccess: ({ is_on: isNowOn }) => showToast(t(isNowOn ? "weekly.doneOn" : "weekly.doneOff")),
  });
  const next = nextAt ? <DateTime at={nextAt} /> : t(isDue ? "weekly.soon" : "weekly.none");
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading
          title={t("weekly.title")}
          status={{ tone: isOn ? "success" : "info", text: t(isOn ? "weekly.on" : "weekly.off") }}
        >
          <Button loading={isBusy} onClick={() => submit({ is_on: !isOn })}>
            {t(isOn ? "weekly.turnOff" : "weekly.turnOn")}
          </Button>
        </CardHeading>
        <Text as="p">{t("weekly.text")}</Text>
        {error && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        <FactRows
          rows={[
            {
              name: t("weekly.last"),
              value: lastAt ? (
                <>
                  <DateTime at={lastAt} />
                  {problem && `. ${t("weekly.closed")}.`}
                </>
              ) : (
                t("weekly.never")
              ),
            },
            { name: t("weekly.next"), value: next },
          ]}
        />
      </BlockStack>
    </Card>
  );
}
