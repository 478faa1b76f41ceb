// What the platform has of the store's rules: in line, different, or not allowed to be read.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useRevalidator } from "@remix-run/react";
import { Banner, BlockStack, Button, Card, SkeletonBodyText, Text } from "@shopify/polaris";
import type {
  AppliedRules,
  PolicyOutcome,
  RegionPolicies,
} from "../../domain/consent/region-policies.ts";
import { requestScopes } from "../consent/request-scope.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useStoreProblem } from "../hooks/use-store-problem.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { showToast } from "../ui/toast.ts";
import { useRegionNames } from "./region-texts.ts";

export function PlatformCardWaiting() {
  const { t } = useTranslation("regions");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("platform.title")} />
        <SkeletonBodyText lines={3} />
      </BlockStack>
    </Card>
  );
}

export function PlatformCard(policies: RegionPolicies) {
  const { t } = useTranslation("regions");
  const say = useStoreProblem();
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("platform.title")} status={useStatus(policies)} />
        <Text as="p">{t("platform.text")}</Text>
        {policies.state === "not_allowed" && <AskForAccess scopes={policies.scopes} />}
        {policies.state === "not_connected" && <Text as="p">{t("platform.notConnected")}</Text>}
        {policies.state === "unavailable" && (
          <Text as="p">{say(policies.problem, t("platform.unavailable"))}</Text>
        )}
        {policies.state === "known" && <Known {...policies} />}
      </BlockStack>
    </Card>
  );
}

function useStatus(policies: RegionPolicies) {
  const { t } = useTranslation("regions");
  if (policies.state !== "known" || !policies.differing) return undefined;
  return policies.differing.length === 0
    ? { tone: "success" as const, text: t("platform.inLine") }
    : { tone: "warning" as const, text: t("platform.differs") };
}

const MAX_NAMED = 12;

function Known({
  hasPlatformBanner,
  differing,
  total,
  applied,
}: RegionPolicies & { state: "known" }) {
  const { t } = useTranslation("regions");
  const namesOf = useRegionNames();
  const say = (done: string) => ({
    onSuccess({ outcome }: PolicyOutcome) {
      if (outcome === "written") showToast(done);
    },
  });
  const write = useScreenAction<PolicyOutcome>("write", say(t("platform.written")));
  // Without rules of its own the store has nothing that could have been sent.
  const disable = useScreenAction<PolicyOutcome>(
    "disable_banner",
    say(differing === null ? t("platform.turnedOff") : t("platform.written")),
  );
  const answer = write.data ?? disable.data;
  const error = write.error ?? disable.error;
  return (
    <BlockStack gap="300" inlineAlign="start">
      {differing === null && (
        <>
          <Text as="p">{t("platform.noRules")}</Text>
          <AppliedTable applied={applied} />
        </>
      )}
      {differing?.length === 0 && <Text as="p">{t("platform.inLineText", { count: total })}</Text>}
      {differing && differing.length > 0 && (
        <>
          <Text as="p">
            {t("platform.differsText", {
              count: differing.length,
              regions:
                namesOf(differing.slice(0, MAX_NAMED)) + (differing.length > MAX_NAMED ? " …" : ""),
            })}
          </Text>
          {!hasPlatformBanner && (
            <Button loading={write.isBusy} onClick={() => write.submit()}>
              {t("platform.write")}
            </Button>
          )}
        </>
      )}
      {hasPlatformBanner && (
        <Banner tone="warning">
          <BlockStack gap="200" inlineAlign="start">
            <p>{t("platform.bannerOn")}</p>
            <ConfirmButton
              label={t("platform.turnOff")}
              title={t("platform.turnOffTitle")}
              confirm={t("platform.turnOff")}
              isDestructive={false}
              isBusy={disable.isBusy}
              onConfirm={() => disable.submit()}
            >
              <Text as="p">{t("platform.turnOffText")}</Text>
            </ConfirmButton>
          </BlockStack>
        </Banner>
      )}
      <div aria-live="polite">
        {answer && <Outcome {...answer} />}
        {error && <p>{error.message}</p>}
      </div>
    </BlockStack>
  );
}

function Outcome(answer: PolicyOutcome) {
  const { t } = useTranslation("regions");
  const say = useStoreProblem();
  if (answer.outcome === "written") return null;
  const text = t(`platform.outcomes.${answer.outcome}`);
  return <p>{answer.outcome === "unavailable" ? say(answer.problem, text) : text}</p>;
}

/** The platform's own rules in words, by the groups that rules of the store's own would have. */
function AppliedTable({ applied }: { applied: readonly AppliedRules[] }) {
  const { t } = useTranslation("regions");
  return (
    <dl style={{ margin: 0, display: "grid", gap: "0.75rem" }}>
      {applied.map(({ name, modes }) => (
        <div key={name}>
          <dt>
            <Text as="span" fontWeight="semibold">
              {t(`groups.${name}`)}
            </Text>
          </dt>
          <dd style={{ margin: 0 }}>
            {modes.length === 1
              ? t(`modes.${modes[0]?.mode ?? "none"}`)
              : modes
                  .map(({ mode, count }) =>
                    t("platform.someRegions", { count, mode: t(`modes.${mode}`) }),
                  )
                  .join("; ")}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function AskForAccess({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation("regions");
  const { revalidate } = useRevalidator();
  const [isDeclined, setIsDeclined] = useState(false);
  const ask = async () => {
    const isAllowed = await requestScopes(scopes);
    setIsDeclined(!isAllowed);
    if (isAllowed) revalidate();
  };
  return (
    <Banner tone="info">
      <BlockStack gap="200" inlineAlign="start">
        <p>{t("platform.access", { scopes: scopes.join(", ") })}</p>
        <Button onClick={() => void ask()}>{t("platform.allow")}</Button>
        <div aria-live="polite">{isDeclined && <p>{t("platform.declined")}</p>}</div>
      </BlockStack>
    </Banner>
  );
}
