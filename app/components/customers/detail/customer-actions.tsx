// The actions of the customer's page in the admin's title bar: tags first, the rest in a menu.
import { useTranslation } from "react-i18next";
import { download } from "../../ui/download.ts";
import { showErrorToast, showToast } from "../../ui/toast.ts";
import type { CustomerView } from "./detail-shape.ts";

export type CustomerQuestion = "tags" | "suspend" | "erase";

type Props = {
  customer: CustomerView;
  onAsk: (question: CustomerQuestion) => void;
  onReactivate: () => void;
};

export function CustomerActions({ customer, onAsk, onReactivate }: Props) {
  const { t } = useTranslation("customer");
  const { id, status, canBeErased, adminUrl } = customer;
  const exportData = async () => {
    const isDone = await download(`/app/customers/${id}/export`, `customer-${id}.json`, "POST");
    if (isDone) showToast(t("exported"));
    else showErrorToast(t("exportFailed"));
  };
  const actions = [
    adminUrl && { text: t("openInStore"), run: () => void window.open(adminUrl, "_top") },
    canBeErased && { text: t("exportData"), run: () => void exportData() },
    status === "active" && { text: t("suspend"), run: () => onAsk("suspend") },
    status === "suspended" && { text: t("reactivate"), run: onReactivate },
    canBeErased && { text: t("erase"), run: () => onAsk("erase") },
  ].filter((action) => typeof action === "object" && action !== null);
  return (
    <>
      {status !== "deleted" && (
        <button variant="primary" onClick={() => onAsk("tags")}>
          {t("addTag")}
        </button>
      )}
      {actions.length > 0 && (
        // React has no type for this attribute of the admin's menus.
        <section {...{ label: t("moreActions") }}>
          {actions.map(({ text, run }) => (
            <button key={text} onClick={run}>
              {text}
            </button>
          ))}
        </section>
      )}
    </>
  );
}
