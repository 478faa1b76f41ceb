// One system that the store connects: its state, its settings as a form, the test, and the end of the
// connection.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, InlineStack, Link, Text } from "@shopify/polaris";
import { ActionAlert } from "../frame/action-alert.tsx";
import type { IntegrationView } from "../../domain/merchant/integrations.ts";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { showToast } from "../ui/toast.ts";
import { ConnectionTest } from "./connection-test.tsx";
import { EmbeddedSaveBar } from "./embedded-save-bar.tsx";
import { useFieldLabel } from "./fields/field-texts.ts";
import { FormFields } from "./form-fields.tsx";
import { FormResult } from "./form-result.tsx";
import { IntegrationBadge } from "./integrations-card.tsx";
import { useSettingsForm } from "./use-settings-form.ts";

export function IntegrationScreen(integration: IntegrationView) {
  const { t } = useTranslation("settings");
  const { state, form: card, lastTest, canDisconnect, isProvided } = integration;
  const form = useSettingsForm(card.fields, {
    onSaved: () => showToast(t("integration.saved")),
  });
  return (
    <HydrationGate>
      <EmbeddedSaveBar
        isOpen={form.isDirty}
        isBusy={form.isBusy}
        onSave={form.save}
        onDiscard={form.discard}
      />
      <FormResult form={{ ...form, isSaved: false }} fields={card.fields} />
      <BlockStack gap="400">
        <Card>
          <BlockStack gap="300">
            <InlineStack align="space-between" blockAlign="center" gap="200">
              <InlineStack gap="200" blockAlign="center">
                <Text as="h2" variant="headingMd">
                  {t("integration.connection")}
                </Text>
                <IntegrationBadge state={state} />
              </InlineStack>
              {canDisconnect && <DisconnectButton {...integration} />}
            </InlineStack>
            <Text as="p">{t(`cards.${integration.name}.text`)}</Text>
            {isProvided && <Text as="p">{t("integration.provided")}</Text>}
            <Trouble {...integration} />
            {card.test && state !== "none" && (
              <ConnectionTest system={card.test} last={lastTest} isDirty={form.isDirty} />
            )}
          </BlockStack>
        </Card>
        <Card>
          <BlockStack gap="400">
            <CardHeading title={t("integration.settings")} />
            <FormFields fields={card.fields} form={form} />
            {state === "none" && (
              <InlineStack>
                <Button
                  variant="primary"
                  loading={form.isBusy}
                  disabled={!form.isDirty}
                  onClick={form.save}
                >
                  {t("integration.connect")}
                </Button>
              </InlineStack>
            )}
          </BlockStack>
        </Card>
      </BlockStack>
    </HydrationGate>
  );
}

function Trouble({ trouble, form }: Pick<IntegrationView, "trouble" | "form">) {
  const { t } = useTranslation("settings");
  const labelOfField = useFieldLabel();
  // A test that failed is shown with its reason.
  if (!trouble || trouble.kind === "test_failed") return null;
  if (trouble.kind === "missing") {
    const names = form.fields.filter(({ name }) => trouble.fields.some((one) => one === name));
    return (
      <Banner tone="warning">
        <p>{t("integration.missing", { fields: names.map(labelOfField).join(", ") })}</p>
      </Banner>
    );
  }
  if (trouble.kind === "left_out")
    return (
      <Banner tone="warning">
        <p>
          {t("integration.leftOut")}{" "}
          <Link url="/app/events/destinations">{t("destinationsLink")}</Link>
        </p>
      </Banner>
    );
  return (
    <Banner tone="warning">
      <p>
        {t("integration.paused")} <DateTime at={trouble.until} />
      </p>
    </Banner>
  );
}

function DisconnectButton({ name, isReplaced, waiting }: IntegrationView) {
  const { t } = useTranslation("settings");
  const { submit, isBusy, error } = useScreenAction("disconnect", {
    onSuccess: () => showToast(t("integration.disconnected")),
  });
  const system = t(`cards.${name}.title`);
  const afterwards =
    waiting > 0 ? t("integration.waiting", { count: waiting }) : t("integration.noneWaiting");
  return (
    <InlineStack gap="200" blockAlign="center">
      {error && <ActionAlert>{error.message}</ActionAlert>}
      <ConfirmButton
        label={t("integration.disconnect")}
        title={t("integration.disconnectTitle", { system })}
        confirm={t("integration.disconnect")}
        isDestructive
        isBusy={isBusy}
        onConfirm={() => submit()}
      >
        <BlockStack gap="200">
          <Text as="p">{t("integration.removes")}</Text>
          <Text as="p">{isReplaced ? t("integration.replaced") : afterwards}</Text>
        </BlockStack>
      </ConfirmButton>
    </InlineStack>
  );
}
