// The two questions before something that hurts: suspending an account and erasing a customer.
import { BlockStack, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../dialog.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import type { CustomerView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";

type Props = { onClose: () => void };

export function SuspendModal({ onClose }: Props) {
  const words = useWords(DETAIL_WORDS);
  const { run, isBusy, problem } = useClosingDeed(words.suspended, onClose);
  return (
    <Dialog
      title={words.suspendTitle}
      onClose={onClose}
      primaryAction={{
        content: words.suspend,
        destructive: true,
        loading: isBusy,
        onAction: () => run("status", { status: "suspended" }),
      }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      <Text as="p">{words.suspendText}</Text>
      {problem && (
        <Text as="p" tone="critical">
          {problem}
        </Text>
      )}
    </Dialog>
  );
}

export function EraseModal({ customer, onClose }: Props & { customer: CustomerView }) {
  const words = useWords(DETAIL_WORDS);
  const [typed, setTyped] = useState("");
  const { run, isBusy, refused, problem } = useClosingDeed(words.erasing, onClose);
  const error = refused?.fields.typed ? words.eraseWrong : problem;
  return (
    <Dialog
      title={words.eraseTitle}
      onClose={onClose}
      primaryAction={{
        content: words.eraseConfirm,
        destructive: true,
        loading: isBusy,
        disabled: typed.trim() === "",
        onAction: () => run("erase", { typed }),
      }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      <BlockStack gap="300">
        <Text as="p">{words.eraseText}</Text>
        <TextField
          label={words.eraseType(customer.erasureWord)}
          value={typed}
          onChange={setTyped}
          autoComplete="off"
          error={error ?? undefined}
        />
      </BlockStack>
    </Dialog>
  );
}

/** Closes the question once it is done; what was refused is told inside it. */
function useClosingDeed(said: string, onClose: () => void) {
  const deed = useDeed({
    onDone() {
      onClose();
      return said;
    },
  });
  return { ...deed, problem: useRefusal(deed.refused) };
}
