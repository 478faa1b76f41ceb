// The two questions before something that hurts: suspending an account and erasing a customer.
import { BlockStack, Modal, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { useWords } from "../words.tsx";
import type { CustomerView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";
import { useCustomerAction } from "./use-customer-action.ts";

type Props = { customer: CustomerView; onClose: () => void };

export function SuspendModal({ customer, onClose }: Props) {
  const words = useWords(DETAIL_WORDS);
  const suspend = useCustomerAction(customer.id, () => words.suspended, onClose);
  return (
    <Modal
      open
      title={words.suspendTitle}
      onClose={onClose}
      primaryAction={{ content: words.suspend, destructive: true, loading: suspend.isBusy, onAction: () => suspend.send({ intent: "status", status: "suspended" }) }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      <Modal.Section>
        <Text as="p">{words.suspendText}</Text>
        {suspend.refused && <Text as="p" tone="critical">{suspend.refused.text}</Text>}
      </Modal.Section>
    </Modal>
  );
}

export function EraseModal({ customer, onClose }: Props) {
  const words = useWords(DETAIL_WORDS);
  const [typed, setTyped] = useState("");
  const erase = useCustomerAction(customer.id, () => words.erasing, onClose);
  const error = erase.refused && (erase.refused.fields.typed ? words.eraseWrong : erase.refused.text);
  return (
    <Modal
      open
      title={words.eraseTitle}
      onClose={onClose}
      primaryAction={{ content: words.eraseConfirm, destructive: true, loading: erase.isBusy, disabled: typed.trim() === "", onAction: () => erase.send({ intent: "erase", typed }) }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      <Modal.Section>
        <BlockStack gap="300">
          <Text as="p">{words.eraseText}</Text>
          <TextField label={words.eraseType(customer.erasureWord)} value={typed} onChange={setTyped} autoComplete="off" error={error} />
        </BlockStack>
      </Modal.Section>
    </Modal>
  );
}
