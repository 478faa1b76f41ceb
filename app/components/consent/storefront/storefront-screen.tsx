// The storefront check: what is going on, what the last complete check found, and what no check sees.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, ProgressBar, Text } from "@shopify/polaris";
import type {
  StorefrontCheck,
  StorefrontResult,
  StorefrontRun,
} from "../../../domain/storefront-check/storefront-check.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { FactRows } from "../../ui/fact-rows.tsx";
import { BlockingCard } from "./blocking-card.tsx";
import { ChoiceCard } from "./choice-card.tsx";
import { ScriptCards } from "./script-cards.tsx";
import { WeeklyCard } from "./weekly-card.tsx";

type Props = StorefrontCheck & {
  isStarting: boolean;
  /** Why no check was started. */
  error: string | null;
  onCheck(): void;
};

export function StorefrontScreen({
  run,
  result,
  weekly,
  blocking,
  vendorsToTell,
  themeEditorUrl,
  isStarting,
  error,
  onCheck,
}: Props) {
  const { t } = useTranslation("storefront-check");
  const isRunning = run?.state === "running";
  return (
    <>
      <div aria-live="polite">
        {error && (
          <Banner tone="critical">
            <p>{error}</p>
          </Banner>
        )}
        {!error && run && <RunState run={run} hasResult={result !== null} />}
      </div>
      {result ? (
        <Summary result={result} themeEditorUrl={themeEditorUrl} />
      ) : (
        !isRunning && (
          <Card>
            <EmptyState
              heading={t("empty.title")}
              action={{ content: t("button"), onAction: onCheck, loading: isStarting }}
            >
              <p>{t("empty.text")}</p>
            </EmptyState>
          </Card>
        )
      )}
      <BlockingCard blocking={blocking} hasEmbed={result?.hasEmbed ?? true} />
      {vendorsToTell.length > 0 && (
        <ChoiceCard vendors={vendorsToTell} themeEditorUrl={themeEditorUrl} />
      )}
      <WeeklyCard weekly={weekly} />
      {result && <ScriptCards result={result} />}
      <Card>
        <BlockStack gap="200">
          <CardHeading title={t("limits.title")} />
          <Text as="p" tone="subdued">
            {t("limits.text")}
          </Text>
          <Text as="p" tone="subdued">
            {t("limits.guide")}
          </Text>
        </BlockStack>
      </Card>
    </>
  );
}

/** Shows nothing after a check that found the store's pages. */
function RunState({ run, hasResult }: { run: StorefrontRun; hasResult: boolean }) {
  const { t } = useTranslation("storefront-check");
  if (run.state === "running") return <Progress {...(run.progress ?? { done: 0, of: 1 })} />;
  if (run.state !== "done" || !run.result)
    return (
      <Banner tone="warning">
        <p>{run.state === "interrupted" ? t("interrupted") : t("failed")}</p>
      </Banner>
    );
  const { problem, status, host } = run.result;
  if (problem === null) return null;
  return (
    <Banner tone="warning">
      <BlockStack gap="100">
        <p>{t(`problems.${problem}`, { status, host })}</p>
        {hasResult && <p>{t("older")}</p>}
        <p>
          <DateTime at={run.finished_at ?? run.started_at} />
        </p>
      </BlockStack>
    </Banner>
  );
}

function Progress({ done, of }: { done: number; of: number }) {
  const { t } = useTranslation("storefront-check");
  const labelled = useLabelled();
  return (
    <Card>
      <BlockStack gap="200">
        <ProgressBar
          progress={Math.round((done / of) * 100)}
          size="small"
          ariaLabelledBy="storefront-progress"
        />
        <Text as="p" id="storefront-progress">
          {labelled(t("running"), t("progress", { done, of }))}
        </Text>
      </BlockStack>
    </Card>
  );
}

function Summary({ result, themeEditorUrl }: { result: StorefrontResult; themeEditorUrl: string }) {
  const { t } = useTranslation("storefront-check");
  const { pages, counts, hasEmbed, at } = result;
  const early = counts.before_consent;
  return (
    <>
      {!hasEmbed && (
        <Banner tone="warning" title={t("noEmbed.title")}>
          <BlockStack gap="200" inlineAlign="start">
            <p>{t("noEmbed.text")}</p>
            <Button url={themeEditorUrl} target="_blank">
              {t("noEmbed.button")}
            </Button>
          </BlockStack>
        </Banner>
      )}
      <Card>
        <BlockStack gap="400">
          <CardHeading title={t("heading")} />
          {early > 0 ? (
            <Banner tone="warning" title={t("early", { count: early })}>
              <p>{t("earlyText")}</p>
            </Banner>
          ) : (
            <Banner tone="success">
              <p>{t("good")}</p>
            </Banner>
          )}
          <FactRows
            rows={[
              { name: t("last"), value: <DateTime at={at} /> },
              {
                name: t("pagesRead"),
                value: pages
                  .map(({ name, path, state }) =>
                    t(`pageStates.${state}`, { page: t(`pages.${name}`), path }),
                  )
                  .join("; "),
              },
            ]}
          />
        </BlockStack>
      </Card>
    </>
  );
}
