// The design system's dialog. When it is closed, the keyboard goes on where it was before.
import { Modal, type ModalProps } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";

export function Dialog({ children, ...props }: Omit<ModalProps, "open">) {
  const [opener] = useState(openerOf);
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
      // The dialog still holds the keyboard while it goes.
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

/** What was pressed, or, when it stands in a menu that is gone by then, what opens the menu. Never asked for on the server. */
function openerOf(): HTMLElement | null {
  const pressed = document.activeElement;
  for (let place = pressed; place; place = place.parentElement) {
    const button =
      place.id && document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(place.id)}"]`);
    if (button) return button;
  }
  return pressed instanceof HTMLElement ? pressed : null;
}
