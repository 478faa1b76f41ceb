import { useTranslation } from "react-i18next";
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
import { CardHeading } from "../ui/card-heading.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";

/** For a customer who contacted the merchant directly. An erasure is confirmed first. */
export function PrivacyForm() {
  const { t } = useTranslation("privacy");

  const [kind, setKind] = useState("data_request");
  const [email, setEmail] = useState("");
  const { submit, isBusy, error } = useScreenAction("make", {
    onSuccess() {
      setEmail("");
      showToast(t("make.done"));
    },
  });
  const start = () => submit({ kind, email });
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("make.title")} />
        <Text as="p" tone="subdued">
          {t("make.text")}
        </Text>
        {error && !error.fields?.email && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        <FormLayout>
          <FormLayout.Group>
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
              error={error?.fields?.email ? t("make.wrongEmail") : undefined}
            />
          </FormLayout.Group>
          {kind === "customer_redact" ? (
            <ConfirmButton
              label={t("make.start")}
              title={t("make.eraseTitle")}
              confirm={t("make.eraseConfirm")}
              isDestructive
              isBusy={isBusy}
              onConfirm={start}
            >
              <Text as="p">{t("make.eraseText")}</Text>
              <Text as="p" fontWeight="semibold">
                {email}
              </Text>
            </ConfirmButton>
          ) : (
            <Button loading={isBusy} onClick={start}>
              {t("make.start")}
            </Button>
          )}
        </FormLayout>
      </BlockStack>
    </Card>
  );
}
