// Opens Shopify Flow and the switch of its triggers, and looks whether both can work.
import { useTranslation } from "react-i18next";
import { Button } from "@shopify/polaris";
import type { Place } from "../../domain/merchant/places.ts";
import { TestedPlaceButtons } from "./tested-place-buttons.tsx";

export function FlowButtons({ place }: { place: Place }) {
  const { t } = useTranslation("places");
  return (
    <TestedPlaceButtons
      place={place}
      action="test_flow"
      texts={t("results.flow", { returnObjects: true })}
      never={t("never.flow")}
    >
      <Button url="/app/settings/integrations/flow">{t("triggers")}</Button>
    </TestedPlaceButtons>
  );
}
