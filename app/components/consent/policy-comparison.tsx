// Two versions of a policy in one language: what was added and removed between them.
import { useTranslation } from "react-i18next";
import { useNavigate } from "@remix-run/react";
import { BlockStack, Card, Select, Text } from "@shopify/polaris";
import type { PolicyView } from "../../domain/consent/show-policy.ts";
import { clientLazy } from "../frame/deferred-card.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import type { PolicyDiffProps } from "./policy-diff.tsx";
import { policyPath } from "./policy-path.ts";

const PolicyDiff = clientLazy<PolicyDiffProps>(() => import("./policy-diff.tsx"));

export function PolicyComparison({ policy, against, others }: PolicyView) {
  const { t } = useTranslation("consent");
  const navigate = useNavigate();
  const { version, locale } = policy;
  const [before, after] =
    against && against.effective_from > policy.effective_from
      ? [policy, against]
      : [against, policy];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("policy.compare.title")} />
        {others.length === 0 ? (
          <Text as="p" tone="subdued">
            {t("policy.compare.alone")}
          </Text>
        ) : (
          <Select
            label={t("policy.compare.with")}
            options={[
              { value: "", label: t("policy.compare.choose") },
              ...others.map((other) => ({ value: other, label: other })),
            ]}
            value={against?.version ?? ""}
            onChange={(chosen) =>
              navigate(policyPath({ version, locale, against: chosen }), {
                preventScrollReset: true,
              })
            }
          />
        )}
        {before && after && (
          <BlockStack gap="200">
            <Text as="h3" variant="headingSm">
              {t("policy.compare.changes", { before: before.version, after: after.version })}
            </Text>
            <PolicyDiff lang={locale} before={before.text} after={after.text} />
          </BlockStack>
        )}
      </BlockStack>
    </Card>
  );
}
