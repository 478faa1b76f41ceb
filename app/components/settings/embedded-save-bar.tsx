import { SaveBar } from "@shopify/app-bridge-react";
import type { SaveBarProps } from "./save-bar.ts";

/** The store admin's own bar, which also asks before the page is left. */
export function EmbeddedSaveBar({ isOpen, isBusy, words, onSave, onDiscard }: SaveBarProps) {
  return (
    <SaveBar id="settings-save-bar" open={isOpen}>
      <button type="button" variant="primary" disabled={isBusy} onClick={onSave}>
        {words.save}
      </button>
      <button type="button" disabled={isBusy} onClick={onDiscard}>
        {words.discard}
      </button>
    </SaveBar>
  );
}
