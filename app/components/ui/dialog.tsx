// A form or a question in the admin's own dialog. On close the focus returns to its previous element.
import { Modal, TitleBar } from "@shopify/app-bridge-react";
import { Box } from "@shopify/polaris";
import { useEffect, useState, type ReactNode } from "react";

type Action = {
  content: string;
  onAction(): void;
  loading?: boolean;
  disabled?: boolean;
  destructive?: boolean;
};

type Props = {
  title: string;
  onClose(): void;
  primaryAction: Action;
  secondaryAction: Action;
  children: ReactNode;
};

/** The open dialogs: one may take the place of another, for a second question. */
const open = new Set<HTMLElement | null>();

/** Open as long as it is rendered. */
export function Dialog({ title, onClose, primaryAction, secondaryAction, children }: Props) {
  const [opener] = useState(() => (open.size > 0 ? ([...open][0] ?? null) : openerOf()));
  useEffect(() => {
    open.add(opener);
    return () => {
      open.delete(opener);
      // The dialog still has the focus while it closes.
      requestAnimationFrame(() => {
        if (open.size === 0 && !hasMovedOn(opener)) opener?.focus();
      });
    };
  }, [opener]);
  const { content, onAction, loading, disabled, destructive } = primaryAction;
  return (
    <Modal open onHide={onClose}>
      <Box padding="400">{children}</Box>
      <TitleBar title={title}>
        <button
          variant="primary"
          // A button that is disabled while it works loses the focus, and a refusal would leave it nowhere.
          onClick={() => {
            if (!loading) onAction();
          }}
          disabled={Boolean(disabled)}
          {...(loading && { loading: "" })}
          {...(destructive && { tone: "critical" })}
        >
          {content}
        </button>
        <button onClick={secondaryAction.onAction}>{secondaryAction.content}</button>
      </TitleBar>
    </Modal>
  );
}

/** Whether somebody was faster than the closing dialog and is at another element of the page. */
function hasMovedOn(opener: HTMLElement | null): boolean {
  const active = document.activeElement;
  return (
    active !== null &&
    active !== document.body &&
    active !== opener &&
    !active.closest("dialog, ui-modal")
  );
}

/**
 * The pressed button or, when it was in a menu that is closed by then, the menu's button. Never
 * called on the server.
 */
function openerOf(): HTMLElement | null {
  const pressed = document.activeElement;
  for (let place = pressed; place; place = place.parentElement) {
    const button =
      place.id && document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(place.id)}"]`);
    if (button) return button;
  }
  return pressed instanceof HTMLElement ? pressed : null;
}
