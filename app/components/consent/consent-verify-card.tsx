import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, Text } from "@shopify/polaris";
import type { Verification } from "../../domain/consent/verification-run.ts";
import { clientLazy } from "../frame/deferred-card.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useJobProgress } from "../hooks/use-job-progress.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

const VerifyProgress = clientLazy(() => import("./verify-progress.tsx"));
const VerifyProblems = clientLazy(() => import("./verify-problems.tsx"));

export function ConsentVerifyCard({ verification }: { verification: Verification | null }) {
  const { t } = useTranslation("consent");
  const { submit, isBusy, error } = useScreenAction("verify");
  const run = useJobProgress(verification, "/app/consent/verification");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("verify.title")}>
          <Button onClick={() => submit()} loading={isBusy} disabled={run?.state === "running"}>
            {t("verify.button")}
          </Button>
        </CardHeading>
        <Text as="p" tone="subdued">
          {t("verify.text")}
        </Text>
        <div aria-live="polite">
          {error && (
            <Banner tone="critical">
              <p>{error.message}</p>
            </Banner>
          )}
          {run && <Outcome run={run} />}
        </div>
      </BlockStack>
    </Card>
  );
}

function Outcome({ run }: { run: Verification }) {
  const { t } = useTranslation("consent");
  const labelled = useLabelled();
  const locale = useLocale();
  const count = (value: number) => formatCount(locale, value);
  if (run.state === "running") return <VerifyProgress {...(run.progress ?? { rows: 0, of: 0 })} />;
  if (run.state !== "done" || !run.result)
    return (
      <Banner tone="warning">
        <p>{run.state === "interrupted" ? t("verify.interrupted") : t("verify.failed")}</p>
      </Banner>
    );
  const { ok, rows, problems, problem_count: all } = run.result;
  const when = (
    <Text as="span" variant="bodySm" tone="subdued">
      {labelled(t("verify.last"))} <DateTime at={run.finished_at ?? run.started_at} />
    </Text>
  );
  if (ok)
    return (
      <BlockStack gap="200">
        <Banner tone="success">
          <p>{t("verify.good", { rows: count(rows) })}</p>
        </Banner>
        {when}
      </BlockStack>
    );
  return (
    <BlockStack gap="200">
      <Banner tone="critical" title={t("verify.bad", { total: count(all), rows: count(rows) })}>
        <VerifyProblems problems={problems} all={all} />
      </Banner>
      {when}
    </BlockStack>
  );
}
