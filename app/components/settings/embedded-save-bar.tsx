import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "@remix-run/react";
import { SaveBar } from "@shopify/app-bridge-react";
import type { SaveBarProps } from "./save-bar.ts";

/** The store admin's own save bar, which also asks before another screen is opened. */
export function EmbeddedSaveBar({ isOpen, isBusy, onSave, onDiscard }: SaveBarProps) {
  const { t } = useTranslation("frame");
  useLeaveConfirmation(isOpen);
  return (
    <SaveBar id="save-bar" open={isOpen}>
      <button type="button" variant="primary" disabled={isBusy} onClick={onSave}>
        {t("saveBar.save")}
      </button>
      <button type="button" disabled={isBusy} onClick={onDiscard}>
        {t("saveBar.discard")}
      </button>
    </SaveBar>
  );
}

/** The admin asks for its own menu; a link inside the page is ours to hold back. */
function useLeaveConfirmation(isDirty: boolean): void {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      isDirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    window.shopify.saveBar.leaveConfirmation().then(
      () => blocker.proceed(),
      () => blocker.reset(),
    );
  }, [blocker]);
}
