// The confirmation of every erasure: it is confirmed by typing what is erased.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Text, TextField } from "@shopify/polaris";
import { useState, type ReactNode } from "react";
import { Dialog } from "../ui/dialog.tsx";

type Props = {
  /** The text to type: the customer's address, or `#` and the number of one without. */
  phrase: string;
  isBusy: boolean;
  /** The action's error; `fields.typed` when the typed text is not the phrase. */
  error: { message: string; fields?: Record<string, string> } | null;
  onErase(typed: string): void;
  onClose(): void;
  /** What to know beside the usual text. */
  children?: ReactNode;
};

/** Its texts are in the namespace that every screen loads. The server checks the typed text again. */
export function EraseDialog({ phrase, isBusy, error, onErase, onClose, children }: Props) {
  const { t } = useTranslation("frame");
  const [typed, setTyped] = useState("");
  const isWrong = error?.fields?.typed !== undefined;
  return (
    <Dialog
      title={t("erase.title")}
      onClose={onClose}
      primaryAction={{
        content: t("erase.confirm"),
        destructive: true,
        loading: isBusy,
        disabled: typed.trim() === "",
        onAction: () => onErase(typed),
      }}
      secondaryAction={{ content: t("list.cancel"), onAction: onClose }}
    >
      <BlockStack gap="300">
        <Text as="p">{t("erase.text")}</Text>
        {children}
        {error && !isWrong && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        <TextField
          label={t("erase.type", { phrase })}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          error={isWrong && t("erase.wrong")}
        />
      </BlockStack>
    </Dialog>
  );
}
