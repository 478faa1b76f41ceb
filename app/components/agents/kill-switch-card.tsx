import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Card, Text } from "@shopify/polaris";
import { CardHeading } from "../ui/card-heading.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";

/** Takes effect with the next call of any agent. */
export function KillSwitchCard({ name, isOn }: { name: "access" | "payments"; isOn: boolean }) {
  const { t } = useTranslation("agents");
  const { submit, isBusy, error } = useScreenAction<{ is_on: boolean }>("switch", {
    onSuccess: ({ is_on: isNowOn }) => showToast(t(`${name}.${isNowOn ? "doneOn" : "doneOff"}`)),
  });
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading
          title={t(`${name}.title`)}
          status={{
            tone: isOn ? "success" : "warning",
            text: isOn ? t("states.on") : t("states.off"),
          }}
        >
          <ConfirmButton
            label={isOn ? t(`${name}.turnOff`) : t(`${name}.turnOn`)}
            title={isOn ? t(`${name}.offTitle`) : t(`${name}.onTitle`)}
            confirm={isOn ? t(`${name}.confirmOff`) : t(`${name}.confirmOn`)}
            isDestructive={isOn}
            isBusy={isBusy}
            onConfirm={() => submit({ name, is_on: !isOn })}
          >
            <Text as="p">{isOn ? t(`${name}.offText`) : t(`${name}.onText`)}</Text>
          </ConfirmButton>
        </CardHeading>
        <Text as="p">{isOn ? t(`${name}.on`) : t(`${name}.off`)}</Text>
        {error && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
      </BlockStack>
    </Card>
  );
}
