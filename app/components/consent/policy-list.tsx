import { useTranslation } from "react-i18next";
import { Badge, Card, IndexTable, InlineStack, Link } from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import type { ListedPolicy } from "../../domain/consent/policies.ts";
import { labelOf } from "../i18n/label-of.ts";
import { DateTime } from "../ui/date-time.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { policyPath } from "./policy-path.ts";

export function PolicyList({
  policies,
  current,
}: {
  policies: readonly ListedPolicy[];
  current: string | null;
}) {
  const { t } = useTranslation("consent");
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
            </IndexTable.Row>
          ))}
        </IndexTable>
      </ResponsiveRows>
    </Card>
  );
}
