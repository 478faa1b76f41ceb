import { useTranslation } from "react-i18next";
import { SaveBar } from "@shopify/app-bridge-react";
import type { SaveBarProps } from "./save-bar.ts";

/** The store admin's own save bar, which also warns before the page is left. */
export function EmbeddedSaveBar({ isOpen, isBusy, onSave, onDiscard }: SaveBarProps) {
  const { t } = useTranslation("settings");
  return (
    <SaveBar id="settings-save-bar" open={isOpen}>
      <button type="button" variant="primary" disabled={isBusy} onClick={onSave}>
        {t("save")}
      </button>
      <button type="button" disabled={isBusy} onClick={onDiscard}>
        {t("discard")}
      </button>
    </SaveBar>
  );
}
