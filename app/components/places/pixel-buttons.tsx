// The web pixel: allowed, turned on, tested, and given a new key.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { PlaceTest, Place } from "../../domain/merchant/places.ts";
import { requestScopes } from "../consent/request-scope.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { showToast } from "../ui/toast.ts";
import { ActionProblem, TestButton, TestResult } from "./place-test.tsx";

export function PixelButtons({ place }: { place: Place }) {
  const { t } = useTranslation("places");
  const { name, state, scopes, openUrl } = place;
  const test = useScreenAction<PlaceTest>("test_pixel");
  const turnOn = useScreenAction<Place["state"]>("turn_on_pixel", {
    onSuccess: (now) => now === "active" && showToast(t("turnedOn")),
  });
  const rotate = useScreenAction<Place["state"]>("rotate_pixel_key", {
    onSuccess: (now) => now === "active" && showToast(t("rotated")),
  });
  const error = test.error ?? turnOn.error ?? rotate.error;
  const outcome = turnOn.data ?? rotate.data;
  const isConnected = state !== "not_connected";
  return (
    <BlockStack gap="300">
      {isConnected && scopes.length > 0 && (
        <AskForAccess scopes={scopes} isBusy={turnOn.isBusy} onAllowed={() => turnOn.submit()} />
      )}
      {isConnected && scopes.length === 0 && (
        <InlineStack gap="200">
          {(state === "off" || state === "outdated" || state === "not_deployed") && (
            <Button variant="primary" loading={turnOn.isBusy} onClick={() => turnOn.submit()}>
              {state === "outdated" ? t("update") : t("turnOn")}
            </Button>
          )}
          <Button url={openUrl} target="_blank">
            {t(`open.${name}`)}
          </Button>
          <TestButton name={name} isBusy={test.isBusy} onTest={() => test.submit()} />
          {state === "active" && (
            <ConfirmButton
              label={t("rotate")}
              title={t("rotateTitle")}
              confirm={t("rotate")}
              isBusy={rotate.isBusy}
              onConfirm={() => rotate.submit()}
            >
              <Text as="p">{t("rotateText")}</Text>
            </ConfirmButton>
          )}
        </InlineStack>
      )}
      <div aria-live="polite">
        {test.data && (
          <TestResult
            name={name}
            test={test.data}
            texts={t("results.web_pixel", { returnObjects: true })}
            never={t("noEvent")}
          />
        )}
        {outcome && outcome !== "active" && (
          <Text as="p" tone="critical">
            {t(`results.web_pixel.${outcome}`)}
          </Text>
        )}
        <ActionProblem error={error} />
      </div>
    </BlockStack>
  );
}

type AccessProps = { scopes: readonly string[]; isBusy: boolean; onAllowed(): void };

function AskForAccess({ scopes, isBusy, onAllowed }: AccessProps) {
  const { t } = useTranslation("places");
  const [isDeclined, setIsDeclined] = useState(false);
  const ask = async () => {
    const isAllowed = await requestScopes(scopes);
    setIsDeclined(!isAllowed);
    if (isAllowed) onAllowed();
  };
  return (
    <Banner tone="info">
      <BlockStack gap="200" inlineAlign="start">
        <p>{t("access", { scopes: scopes.join(", ") })}</p>
        <Button loading={isBusy} onClick={() => void ask()}>
          {t("allow")}
        </Button>
        <div aria-live="polite">{isDeclined && <p>{t("declined")}</p>}</div>
      </BlockStack>
    </Banner>
  );
}
