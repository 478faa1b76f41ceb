// The store's problems, most severe first; empty when there are none.
import { useTranslation } from "react-i18next";
import { Banner } from "@shopify/polaris";
import { formatCount } from "../i18n/format-number.ts";
import { formatDay } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";

type Props = {
  health: { syncError: string | null; deadLetters: number; keptDataAt?: string };
  paused: string[];
};

export function HealthBanners({ health, paused }: Props) {
  const { t } = useTranslation("home");
  const locale = useLocale();
  return (
    <>
      {health.keptDataAt && (
        <Banner tone="warning" title={t("keptData")}>
          <p>{t("keptDataText", { day: formatDay(locale, health.keptDataAt) })}</p>
        </Banner>
      )}
      {health.syncError !== null && (
        <Banner tone="warning" title={t("syncFailed")}>
          <p>{t("syncFailedText")}</p>
        </Banner>
      )}
      {health.deadLetters > 0 && (
        <Banner
          tone="warning"
          title={t("deadLetters", { total: formatCount(locale, health.deadLetters) })}
          action={{ content: t("toEvents"), url: "/app/events/dead-letters" }}
        >
          <p>{t("deadLettersText")}</p>
        </Banner>
      )}
      {paused.length > 0 && (
        <Banner
          tone="info"
          title={t("paused", { names: paused.join(", ") })}
          action={{ content: t("toEvents"), url: "/app/events" }}
        >
          <p>{t("pausedText")}</p>
        </Banner>
      )}
    </>
  );
}
