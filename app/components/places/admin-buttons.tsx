// Opens the customers of the store admin, and looks whether the block was shown there.
import { useTranslation } from "react-i18next";
import type { Place } from "../../domain/merchant/places.ts";
import { TestedPlaceButtons } from "./tested-place-buttons.tsx";

export function AdminButtons({ place }: { place: Place }) {
  const { t } = useTranslation("places");
  return (
    <TestedPlaceButtons
      place={place}
      action="test_admin_customer"
      texts={t("results.admin_customer", { returnObjects: true })}
      never={t("never.admin_customer")}
    />
  );
}
