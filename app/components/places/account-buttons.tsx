// Opens the editor of the customer accounts, and looks whether a customer has opened the extension.
import { useTranslation } from "react-i18next";
import type { Place } from "../../domain/merchant/places.ts";
import { TestedPlaceButtons } from "./tested-place-buttons.tsx";

export function AccountButtons({ place }: { place: Place }) {
  const { t } = useTranslation("places");
  return (
    <TestedPlaceButtons
      place={place}
      action="test_accounts"
      texts={t("results.customer_account", { returnObjects: true })}
      never={t("never.customer_account")}
    />
  );
}
