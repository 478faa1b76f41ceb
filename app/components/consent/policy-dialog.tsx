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

/** Of the text. A longer one is not sent: the request could be too large for the service to read. */
const MAX_LENGTH = 500_000;

type Values = { version: string; locale: string; body: string; is_current: boolean };

/** Publishes a version. */
export function PolicyDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  const [values, setValues] = useState<Values>({ version: "", locale, body: "", is_current: true });
  const [isLeaving, setIsLeaving] = useState(false);
  const isTooLong = values.body.length > MAX_LENGTH;
  const leave = () => (values.body.trim() === "" ? onClose() : setIsLeaving(true));
  const { submit, isBusy, error } = useScreenAction("publish", {
    onSuccess() {
      onClose();
      showToast(t("policy.published"));
    },
  });
  if (isLeaving) return <DiscardQuestion onKeep={() => setIsLeaving(false)} onDiscard={onClose} />;
  return (
    <Dialog
      title={t("policy.add")}
      onClose={leave}
      primaryAction={{
        content: t("policy.publish"),
        onAction: () => submit(values),
        loading: isBusy,
        disabled: isTooLong,
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
        <PolicyFields
          values={values}
          refused={{ ...error?.fields, ...(isTooLong && { body: true }) }}
          onChange={(changes) => setValues((known) => ({ ...known, ...changes }))}
        />
      </BlockStack>
    </Dialog>
  );
}

function DiscardQuestion({ onKeep, onDiscard }: { onKeep(): void; onDiscard(): void }) {
  const { t } = useTranslation("consent");
  return (
    <Dialog
      title={t("policy.discardTitle")}
      onClose={onKeep}
      primaryAction={{ content: t("policy.discard"), onAction: onDiscard, destructive: true }}
      secondaryAction={{ content: t("policy.keep"), onAction: onKeep }}
    >
      <Text as="p">{t("policy.discardText")}</Text>
    </Dialog>
  );
}

type FieldsProps = {
  values: Values;
  /** The refused fields by name. */
  refused: Record<string, unknown>;
  onChange(changes: Partial<Values>): void;
};

function PolicyFields({ values, refused, onChange }: FieldsProps) {
  const { t } = useTranslation("consent");
  const problemOf = (name: "version" | "locale" | "body") =>
    Object.hasOwn(refused, name) ? t(`policy.wrong.${name}`) : undefined;
  const languages = Object.entries(t("policy.languages", { returnObjects: true }));
  return (
    <FormLayout>
      <PolicyStart
        onStart={({ text, updatedAt }) =>
          onChange({ version: values.version || updatedAt.slice(0, 10), body: text })
        }
      />
      <FormLayout.Group>
        <TextField
          label={t("policy.version")}
          helpText={t("policy.versionHint")}
          autoComplete="off"
          maxLength={40}
          value={values.version}
          onChange={(version) => onChange({ version })}
          error={problemOf("version")}
        />
        <Select
          label={t("policy.language")}
          options={languages.map(([value, label]) => ({ value, label }))}
          value={values.locale}
          onChange={(locale) => onChange({ locale })}
          error={problemOf("locale")}
        />
      </FormLayout.Group>
      <TextField
        label={t("policy.text")}
        helpText={t("policy.textHint")}
        autoComplete="off"
        multiline={8}
        maxHeight={320}
        value={values.body}
        onChange={(body) => onChange({ body })}
        error={problemOf("body")}
      />
      <Checkbox
        label={t("policy.makeCurrent")}
        helpText={t("policy.asksAgain")}
        checked={values.is_current}
        onChange={(isCurrent) => onChange({ is_current: isCurrent })}
      />
    </FormLayout>
  );
}
