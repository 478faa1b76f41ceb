// The design system's dialog. On close the focus returns to its previous element.
import { Modal, type ModalProps } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";

export function Dialog({ children, ...props }: Omit<ModalProps, "open">) {
  const [opener] = useState(openerOf);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      // The dialog still has the focus while it closes.
      requestAnimationFrame(() => {
        if (!isOpen.current) opener?.focus();
      });
    };
  }, [opener]);
  return (
    <Modal open {...props}>
      <Modal.Section>{children}</Modal.Section>
    </Modal>
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
