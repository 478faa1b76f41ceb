import { useTranslation } from "react-i18next";
import { useState } from "react";
import { download } from "../../ui/download.ts";
import { showErrorToast, showToast } from "../../ui/toast.ts";

/** Downloads customers as a file; `query` names them. */
export function useExport() {
  const { t } = useTranslation("customers");
  const [isBusy, setIsBusy] = useState(false);
  return {
    isBusy,
    start: async (query: URLSearchParams, name = t("file")) => {
      setIsBusy(true);
      const isDone = await download(`/app/customers/export?${query}`, `${name}.csv`);
      setIsBusy(false);
      if (isDone) showToast(t("exported"));
      else showErrorToast(t("exportFailed"));
    },
  };
}
