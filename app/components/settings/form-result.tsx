// Above a form: why it was not saved and, where no toast says so, that it was. After a refusal the first wrong field has the focus.
import { useTranslation } from "react-i18next";
import { Banner, Text } from "@shopify/polaris";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { useShowRefusal } from "../hooks/use-show-refusal.ts";
import type { SettingsFormState } from "./use-settings-form.ts";

type Props = { form: Pick<SettingsFormState, "isSaved" | "error">; fields: readonly FormField[] };

export function FormResult({ form: { isSaved, error }, fields }: Props) {
  const { t } = useTranslation("settings");
  const place = useShowRefusal(error);
  const hasField = fields.some(({ name }) => error?.fields?.[name] !== undefined);
  const isRefused =
    error !== null && !isSessionOrNetwork(error.code) && error.code !== "not_connected";
  const isOutdated = Object.values(error?.field_codes ?? {}).includes("changedMeanwhile");
  return (
    <div ref={place} aria-live="polite" style={{ paddingBottom: isSaved || error ? "1rem" : 0 }}>
      {isSaved && (
        <Text as="p" tone="success">
          {t("saved")}
        </Text>
      )}
      {error && isSessionOrNetwork(error.code) && <Banner tone="critical" title={t(error.code)} />}
      {error?.code === "not_connected" && <Banner tone="critical" title={error.message} />}
      {isRefused && isOutdated && (
        <Banner tone="warning" title={t("conflict.title")}>
          <p>{t("conflict.text")}</p>
        </Banner>
      )}
      {isRefused && !isOutdated && (
        <Banner tone="critical" title={hasField ? t("refused") : t("failed")}>
          {!hasField && <p>{error.message}</p>}
        </Banner>
      )}
    </div>
  );
}

export const isSessionOrNetwork = (code: string): code is "unauthorized" | "unreachable" =>
  code === "unauthorized" || code === "unreachable";
