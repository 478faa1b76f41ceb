import { useTranslation } from "react-i18next";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";

/** Counts end here (domain/channels/delivery-health.ts). */
const MAX_COUNTED = 5_000;

/** Writes a number that was counted up to a limit: "5,000+". */
export function useCapped(): (count: number) => string {
  const { t } = useTranslation("events");
  const locale = useLocale();
  return (count) =>
    count > MAX_COUNTED
      ? t("moreThan", { total: formatCount(locale, MAX_COUNTED) })
      : formatCount(locale, count);
}
