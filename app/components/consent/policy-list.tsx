import { useTranslation } from "react-i18next";
import { Badge, Box, Card, IndexTable, InlineStack, Link, Text } from "@shopify/polaris";
import { ActionAlert } from "../frame/action-alert.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import type { ListedPolicy } from "../../domain/consent/policies.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { labelOf } from "../i18n/label-of.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { showToast } from "../ui/toast.ts";
import { policyPath } from "./policy-path.ts";

type Props = {
  policies: readonly ListedPolicy[];
  /** The versions that can be put in force. */
  versions: readonly string[];
  current: string | null;
  /** There may be older ones than these. */
  isCut: boolean;
};

export function PolicyList({ policies, versions, current, isCut }: Props) {
  const { t } = useTranslation("consent");
  const labelled = useLabelled();
  const isCurrentShown = policies.some(({ version }) => version === current);
  if (policies.length === 0)
    return (
      <Card>
        <EmptyState heading={t("policy.empty.title")}>
          <p>{t("policy.empty.text")}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <ResponsiveRows>
        <IndexTable
          selectable={false}
          itemCount={policies.length}
          resourceName={{ singular: t("policy.version"), plural: t("policy.version") }}
          headings={[
            { title: t("policy.version") },
            { title: t("policy.language") },
            { title: t("policy.since") },
            { title: t("policy.fingerprint") },
            { title: t("policy.putInForce"), hidden: true },
          ]}
        >
          {policies.map((policy, at) => (
            <IndexTable.Row
              key={`${policy.version}/${policy.locale}`}
              id={`${policy.version}/${policy.locale}`}
              position={at}
            >
              <RowCell>
                <InlineStack gap="200">
                  <Link url={policyPath(policy)}>{policy.version}</Link>
                  {policy.version === current && (
                    <Badge tone="success">{t("policy.current")}</Badge>
                  )}
                </InlineStack>
              </RowCell>
              <RowCell label={t("policy.language")}>
                {labelOf(t("policy.languages", { returnObjects: true }), policy.locale)}
              </RowCell>
              <RowCell label={t("policy.since")}>
                <DateTime at={policy.effective_from} />
              </RowCell>
              <RowCell label={t("policy.fingerprint")}>
                <code title={policy.sha256}>{policy.sha256.slice(0, 12)}</code>
              </RowCell>
              <RowCell>
                {policy.version !== current && versions.includes(policy.version) && (
                  <PutInForce version={policy.version} />
                )}
              </RowCell>
            </IndexTable.Row>
          ))}
        </IndexTable>
      </ResponsiveRows>
      {isCut && (
        <Box padding="400">
          <Text as="p" tone="subdued">
            {t("policy.newest", { count: policies.length })}
          </Text>
          {current !== null && !isCurrentShown && (
            <Text as="p">{labelled(t("policy.current"), current)}</Text>
          )}
        </Box>
      )}
    </Card>
  );
}

function PutInForce({ version }: { version: string }) {
  const { t } = useTranslation("consent");
  const labelled = useLabelled();
  const { submit, isBusy, error } = useScreenAction("put_in_force", {
    onSuccess: () => showToast(t("policy.isInForce", { version })),
  });
  return (
    <>
      <ConfirmButton
        label={t("policy.putInForce")}
        accessibilityLabel={labelled(t("policy.putInForce"), version)}
        title={t("policy.putInForceTitle", { version })}
        confirm={t("policy.putInForce")}
        isBusy={isBusy}
        onConfirm={() => submit({ version })}
        variant="plain"
      >
        <Text as="p">{t("policy.asksAgain")}</Text>
      </ConfirmButton>
      {error && <ActionAlert>{error.message}</ActionAlert>}
    </>
  );
}
