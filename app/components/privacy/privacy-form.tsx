import {
  Banner,
  BlockStack,
  Button,
  Card,
  FormLayout,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { ConfirmButton } from "../confirm-button.tsx";
import { PRIVACY_WORDS } from "./privacy-words.ts";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";

/** For a customer who asked the merchant, not the store. Erasing asks once more. */
export function PrivacyForm() {
  const words = useWords(PRIVACY_WORDS);
  const { make, kinds } = words;
  const [kind, setKind] = useState("data_request");
  const [email, setEmail] = useState("");
  const { run, isBusy, refused } = useDeed({
    onDone() {
      setEmail("");
      return make.done;
    },
  });
  const general = useRefusal(refused);
  const start = () => run("make", { kind, email });
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={make.title} />
        <Text as="p" tone="subdued">
          {make.text}
        </Text>
        {refused && !refused.fields.email && (
          <Banner tone="critical">
            <p>{general}</p>
          </Banner>
        )}
        <FormLayout>
          <FormLayout.Group>
            <Select
              label={make.kind}
              options={(["data_request", "customer_redact"] as const).map((value) => ({
                value,
                label: kinds[value],
              }))}
              value={kind}
              onChange={setKind}
            />
            <TextField
              label={make.email}
              type="email"
              autoComplete="off"
              value={email}
              onChange={setEmail}
              error={refused?.fields.email ? make.wrongEmail : undefined}
            />
          </FormLayout.Group>
          {kind === "customer_redact" ? (
            <ConfirmButton
              label={make.start}
              title={make.eraseTitle}
              confirm={make.eraseConfirm}
              isDestructive
              isBusy={isBusy}
              onConfirm={start}
            >
              <Text as="p">{make.eraseText}</Text>
              <Text as="p" fontWeight="semibold">
                {email}
              </Text>
            </ConfirmButton>
          ) : (
            <Button loading={isBusy} onClick={start}>
              {make.start}
            </Button>
          )}
        </FormLayout>
      </BlockStack>
    </Card>
  );
}
