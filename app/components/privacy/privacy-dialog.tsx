import { useTranslation } from "react-i18next";
import { Banner, BlockStack, FormLayout, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { EraseDialog } from "./erase-dialog.tsx";

/** As strict as a browser's own check of an address; the server's is stricter. */
const ADDRESS = /^[^\s@]+@[^\s@.]+\.[^\s@]+$/;

/**
 * For a customer who contacted the merchant directly. An erasure is confirmed in a second step, by
 * typing the address again.
 */
export default function PrivacyDialog({ onClose }: { onClose(): void }) {
  const { t } = useTranslation("privacy");

  const [kind, setKind] = useState("data_request");
  const [email, setEmail] = useState("");
  const [isConfirming, setIsConfirming] = useState(false);
  const [isMistyped, setIsMistyped] = useState(false);
  const { submit, isBusy, error } = useScreenAction("make", {
    onSuccess() {
      onClose();
      showToast(t("make.done"));
    },
  });
  const lookUp = useScreenAction<{ isKnown: boolean }>("look_up", {
    onSuccess: () => setIsConfirming(true),
  });
  const problem = error ?? lookUp.error;
  const isWrongEmail = isMistyped || problem?.fields?.email !== undefined;
  const start = () => {
    setIsMistyped(!ADDRESS.test(email.trim()));
    if (!ADDRESS.test(email.trim())) return;
    if (kind === "customer_redact") lookUp.submit({ email });
    else submit({ kind, email });
  };
  if (isConfirming)
    return (
      <EraseDialog
        phrase={email.trim()}
        isBusy={isBusy}
        error={error}
        onErase={(typed) => submit({ kind, email, typed })}
        onClose={onClose}
      >
        {lookUp.data?.isKnown === false && (
          <Banner tone="warning">
            <p>{t("make.nobody")}</p>
          </Banner>
        )}
      </EraseDialog>
    );
  return (
    <Dialog
      title={t("make.title")}
      onClose={onClose}
      primaryAction={{
        content: t("make.start"),
        onAction: start,
        loading: isBusy || lookUp.isBusy,
        disabled: email.trim() === "",
      }}
      secondaryAction={{ content: t("make.cancel"), onAction: onClose }}
    >
      <BlockStack gap="400">
        <Text as="p">{t("make.text")}</Text>
        {problem && !isWrongEmail && (
          <Banner tone="critical">
            <p>{problem.message}</p>
          </Banner>
        )}
        <FormLayout>
          <Select
            label={t("make.kind")}
            options={(["data_request", "customer_redact"] as const).map((value) => ({
              value,
              label: t(`kinds.${value}`),
            }))}
            value={kind}
            onChange={setKind}
          />
          <TextField
            label={t("make.email")}
            type="email"
            autoComplete="off"
            value={email}
            onChange={setEmail}
            error={isWrongEmail ? t("make.wrongEmail") : undefined}
          />
        </FormLayout>
      </BlockStack>
    </Dialog>
  );
}
