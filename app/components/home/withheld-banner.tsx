// What the platform withholds from the app, and where it is requested.
import { useTranslation } from "react-i18next";
import { Banner } from "@shopify/polaris";
import { useDateFormat } from "../ui/date-time.tsx";

export function WithheldBanner({ since, names }: { since: string; names: string[] }) {
  const { t } = useTranslation("home");
  const { formatDay } = useDateFormat();
  const labels: Record<string, string> = t("withheld.names", { returnObjects: true });
  const plain = new Set(names.map((name) => labels[name] ?? t("withheld.other")));
  return (
    <Banner tone="warning" title={t("withheld.title")}>
      <p>{t("withheld.text", { day: formatDay(since), names: [...plain].join(", ") })}</p>
      <p>{t("withheld.remedy")}</p>
    </Banner>
  );
}
