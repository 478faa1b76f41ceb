import { useTranslation } from "react-i18next";
import {
  Badge,
  Banner,
  BlockStack,
  Card,
  Checkbox,
  EmptyState,
  FormLayout,
  IndexTable,
  InlineStack,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { useState } from "react";
import type { ListedPolicy } from "../../domain/consent/policies.ts";
import { DateTime } from "../ui/date-time.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";

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
        <EmptyState heading={t("policy.empty.title")} image="">
          <p>{t("policy.empty.text")}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
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
            <IndexTable.Cell>
              <InlineStack gap="200">
                {policy.version}
                {policy.version === current && <Badge tone="success">{t("policy.current")}</Badge>}
              </InlineStack>
            </IndexTable.Cell>
            <IndexTable.Cell>{policy.locale}</IndexTable.Cell>
            <IndexTable.Cell>
              <DateTime at={policy.effective_from} />
            </IndexTable.Cell>
            <IndexTable.Cell>
              <code title={policy.sha256}>{policy.sha256.slice(0, 12)}</code>
            </IndexTable.Cell>
          </IndexTable.Row>
        ))}
      </IndexTable>
    </Card>
  );
}

/** Publishes a version. */
export function PolicyDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  const [values, setValues] = useState<Record<"version" | "locale" | "body", string>>({
    version: "",
    locale,
    body: "",
  });
  const [isCurrent, setIsCurrent] = useState(true);
  const { submit, isBusy, error } = useScreenAction("publish", {
    onSuccess() {
      onClose();
      showToast(t("policy.published"));
    },
  });
  const set = (name: keyof typeof values) => (value: string) =>
    setValues((known) => ({ ...known, [name]: value }));
  const wrong = (name: keyof typeof values) =>
    error?.fields && Object.hasOwn(error.fields, name) ? t(`policy.wrong.${name}`) : undefined;
  return (
    <Dialog
      title={t("policy.add")}
      onClose={onClose}
      primaryAction={{
        content: t("policy.publish"),
        onAction: () => submit({ ...values, is_current: isCurrent }),
        loading: isBusy,
      }}
      secondaryAction={{ content: t("policy.cancel"), onAction: onClose }}
    >
      <BlockStack gap="400">
        <Text as="p" tone="subdued">
          {t("policy.intro")}
        </Text>
        {error && (
          <Banner tone="critical">
            <p>{error.code === "conflict" ? t("policy.conflict") : error.message}</p>
          </Banner>
        )}
        <FormLayout>
          <FormLayout.Group>
            <TextField
              label={t("policy.version")}
              helpText={t("policy.versionHint")}
              autoComplete="off"
              maxLength={40}
              value={values.version}
              onChange={set("version")}
              error={wrong("version")}
            />
            <Select
              label={t("policy.language")}
              options={Object.entries(t("policy.languages", { returnObjects: true })).map(
                ([value, label]) => ({ value, label }),
              )}
              value={values.locale}
              onChange={set("locale")}
              error={wrong("locale")}
            />
          </FormLayout.Group>
          <TextField
            label={t("policy.text")}
            helpText={t("policy.textHint")}
            autoComplete="off"
            multiline={8}
            maxHeight={320}
            value={values.body}
            onChange={set("body")}
            error={wrong("body")}
          />
          <Checkbox label={t("policy.makeCurrent")} checked={isCurrent} onChange={setIsCurrent} />
        </FormLayout>
      </BlockStack>
    </Dialog>
  );
}
