// What the platform withholds from the app, and where it is requested.
import { useTranslation } from "react-i18next";
import { Banner } from "@shopify/polaris";
import { useLocale } from "../i18n/locale.ts";
import { formatDay } from "../ui/date-time.tsx";

export function WithheldBanner({ since, names }: { since: string; names: string[] }) {
  const { t } = useTranslation("home");
  const locale = useLocale();
  return (
    <Banner tone="warning" title={t("withheld.title")}>
      <p>{t("withheld.text", { day: formatDay(locale, since), names: names.join(", ") })}</p>
      <p>{t("withheld.remedy")}</p>
    </Banner>
  );
}
