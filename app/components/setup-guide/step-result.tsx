// What a step of the setup guide came to: its progress, or the problem that stopped it.
import { useTranslation } from "react-i18next";
import { Box, InlineStack, Spinner, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import type { Failure } from "../../domain/bus/log/failure-kind.ts";
import type { GuideStep } from "../../domain/merchant/setup-guide/read-guide.ts";
import { useFailureText } from "../events/failure-text.ts";
import type { GuideActions } from "./guide-actions.ts";

export function StepResult({
  step,
  actions,
}: {
  step: GuideStep;
  actions: GuideActions;
}): ReactNode {
  const { t } = useTranslation("setup-guide");
  if (step.name === "sync" && step.state === "running")
    return <InProgress text={t("syncing", { count: step.count ?? 0 })} />;
  if (step.name === "scripts" && step.state === "running")
    return <InProgress text={t("checkingScripts")} />;
  if (step.state === "failed" && step.name === "sync")
    return <Problem text={t("syncFailed")} {...step} />;
  for (const { data, error } of Object.values(actions)) {
    if (error) return <Problem text={error.message} reason={null} />;
    if (data?.outcome === "failed" && data.step === step.name)
      return <Problem text={t(`problems.${data.problem}`)} {...data} />;
  }
  if (step.name === "scripts" && step.state === "failed")
    return <Problem text={t("scriptsNotChecked")} reason={null} />;
  if (step.name === "scripts" && step.count !== null)
    return <Text as="p">{t("earlyScripts", { count: step.count })}</Text>;
  return null;
}

export function InProgress({ text }: { text: string }) {
  const { t } = useTranslation("setup-guide");
  return (
    <InlineStack gap="200" blockAlign="center">
      <Spinner size="small" accessibilityLabel={t("states.running")} />
      <Text as="span">{text}</Text>
    </InlineStack>
  );
}

type ProblemProps = { text: string; reason: string | null; failure?: Failure | null };

/** With the cause in the reader's language, where it is a known one. */
export function Problem({ text, reason, failure }: ProblemProps) {
  const { t } = useTranslation("setup-guide");
  const failureText = useFailureText();
  return (
    <Box>
      <Text as="p" tone="critical">
        {text}
      </Text>
      {reason && (
        <Text as="p" tone="subdued" breakWord>
          {failure ? failureText(failure) : `${t("answerWas")} ${reason}`}
        </Text>
      )}
    </Box>
  );
}
