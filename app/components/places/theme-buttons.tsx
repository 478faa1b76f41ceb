// Opens the theme editor, and asks the store admin whether the app embed is on in the published theme.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { Place } from "../../domain/merchant/places.ts";
import type { GuideResult } from "../../domain/merchant/setup-guide/run-step.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { Problem } from "../setup-guide/step-result.tsx";
import { useThemeEmbed } from "../setup-guide/use-theme-embed.ts";
import { ActionProblem, TestButton } from "./place-test.tsx";

export function ThemeButtons({ place: { name, state, openUrl } }: { place: Place }) {
  const { t } = useTranslation(["places", "setup-guide"]);
  const report = useScreenAction<GuideResult>("report_embed");
  const check = useScreenAction<GuideResult>("check_embed");
  const test = useThemeEmbed({
    isEmbedded: true,
    isDone: state === "active",
    // The front page is read where the store admin does not say.
    report: (isActive) => (isActive === null ? check.submit() : report.submit({ isActive })),
  });
  const result = report.data ?? check.data;
  const error = report.error ?? check.error;
  return (
    <BlockStack gap="300">
      <InlineStack gap="200">
        <Button url={openUrl} target="_blank">
          {t(`open.${name}`)}
        </Button>
        <TestButton name={name} isBusy={report.isBusy || check.isBusy} onTest={() => void test()} />
      </InlineStack>
      <div aria-live="polite">
        {result?.outcome === "done" && (
          <Text as="p" tone="success">
            {t("results.theme.active")}
          </Text>
        )}
        {result?.outcome === "failed" && (
          <Problem text={t(`setup-guide:problems.${result.problem}`)} {...result} />
        )}
        <ActionProblem error={error} />
      </div>
    </BlockStack>
  );
}
