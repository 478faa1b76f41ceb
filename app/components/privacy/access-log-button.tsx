import { useTranslation } from "react-i18next";
import { useDownload } from "../hooks/use-download.ts";

/** Exports the access log of the whole store; for the title bar. */
export function AccessLogButton() {
  const { t } = useTranslation("privacy");
  const download = useDownload();
  return <button onClick={() => void download("/app/access-log")}>{t("accessLog")}</button>;
}
