import { useTranslation } from "react-i18next";
import { useSearchParams } from "@remix-run/react";
import { useDownload } from "../hooks/use-download.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

/** Exports the filtered list, all pages. */
export function ConsentExportButton() {
  const { t } = useTranslation("consent");
  const labelled = useLabelled();
  const download = useDownload();
  const [address] = useSearchParams();
  const filters = new URLSearchParams(
    [...address].filter(([name]) =>
      ["type", "decision", "method", "from", "until", "email"].includes(name),
    ),
  );
  return (
    <button
      aria-label={labelled(t("export"), t("exportHint"))}
      onClick={() => void download("/app/consent/export", filters)}
    >
      {t("export")}
    </button>
  );
}
