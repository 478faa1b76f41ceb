import { useTranslation } from "react-i18next";
import { useDownload } from "../../hooks/use-download.ts";

export function InsightExportButton({ days }: { days: number }) {
  const { t } = useTranslation("insights");
  const download = useDownload();
  return (
    <button
      onClick={() =>
        void download("/app/consent/insights/export", new URLSearchParams({ days: String(days) }))
      }
    >
      {t("export")}
    </button>
  );
}
