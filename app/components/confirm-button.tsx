// A button whose deed is asked about first, in the admin's own dialog, which says what will happen.
import { Modal, TitleBar } from "@shopify/app-bridge-react";
import { Box, Button } from "@shopify/polaris";
import { useState, type ReactNode } from "react";
import { LIST_WORDS } from "./list-words.ts";
import { useWords } from "./words.tsx";

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
  const { cancel } = useWords(LIST_WORDS);
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
          <button onClick={() => setIsOpen(false)}>{cancel}</button>
        </TitleBar>
      </Modal>
    </>
  );
}
