import { useTranslation } from "react-i18next";
import {
  Banner,
  BlockStack,
  Checkbox,
  FormLayout,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";
import { PolicyStart } from "./policy-start.tsx";

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
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = () => (values.body.trim() === "" ? onClose() : setIsLeaving(true));
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
  if (isLeaving)
    return (
      <Dialog
        key="question"
        title={t("policy.discardTitle")}
        onClose={() => setIsLeaving(false)}
        primaryAction={{ content: t("policy.discard"), onAction: onClose, destructive: true }}
        secondaryAction={{ content: t("policy.keep"), onAction: () => setIsLeaving(false) }}
      >
        <Text as="p">{t("policy.discardText")}</Text>
      </Dialog>
    );
  return (
    <Dialog
      key="form"
      title={t("policy.add")}
      onClose={leave}
      primaryAction={{
        content: t("policy.publish"),
        onAction: () => submit({ ...values, is_current: isCurrent }),
        loading: isBusy,
      }}
      secondaryAction={{ content: t("policy.cancel"), onAction: leave }}
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
          <PolicyStart
            onStart={({ text, updatedAt }) =>
              setValues((known) => ({
                ...known,
                version: known.version || updatedAt.slice(0, 10),
                body: text,
              }))
            }
          />
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
          <Checkbox
            label={t("policy.makeCurrent")}
            helpText={t("policy.asksAgain")}
            checked={isCurrent}
            onChange={setIsCurrent}
          />
        </FormLayout>
      </BlockStack>
    </Dialog>
  );
}
