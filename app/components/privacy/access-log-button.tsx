import { useTranslation } from "react-i18next";
import { Button } from "@shopify/polaris";
import { useDownload } from "../hooks/use-download.ts";

/** Exports the access log of the whole store. */
export function AccessLogButton() {
  const { t } = useTranslation("privacy");
  const download = useDownload();
  return (
    <Button
      accessibilityLabel={`${t("accessLog")}: ${t("accessLogHint")}`}
      onClick={() => void download("/app/access-log")}
    >
      {t("accessLog")}
    </Button>
  );
}
