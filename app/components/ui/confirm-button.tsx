// A button with a confirmation in the admin's own dialog, which explains the effect.
import { useTranslation } from "react-i18next";
import { Modal, TitleBar } from "@shopify/app-bridge-react";
import { Box, Button } from "@shopify/polaris";
import { useState, type ReactNode } from "react";

type Props = {
  label: string;
  accessibilityLabel?: string;
  title: string;
  children: ReactNode;
  confirm: string;
  isDestructive?: boolean;
  isBusy?: boolean;
  onConfirm(): void;
  variant?: "plain" | "primary";
};

export function ConfirmButton({
  label,
  accessibilityLabel,
  title,
  children,
  confirm,
  isDestructive = false,
  isBusy = false,
  onConfirm,
  variant,
}: Props) {
  const { t } = useTranslation("frame");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        loading={isBusy}
        onClick={() => setIsOpen(true)}
        {...(variant && { variant })}
        {...(isDestructive && { tone: "critical" })}
        {...(accessibilityLabel && { accessibilityLabel })}
      >
        {label}
      </Button>
      <Modal open={isOpen} onHide={() => setIsOpen(false)}>
        <Box padding="400">{children}</Box>
        <TitleBar title={title}>
          <button
            variant="primary"
            {...(isDestructive && { tone: "critical" })}
            onClick={() => {
              setIsOpen(false);
              onConfirm();
            }}
          >
            {confirm}
          </button>
          <button onClick={() => setIsOpen(false)}>{t("list.cancel")}</button>
        </TitleBar>
      </Modal>
    </>
  );
}
