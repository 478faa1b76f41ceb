import type { ReactNode } from "react";

/** A long text in its own lines, scrolled also by keyboard. */
export function ReadingBox({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      role="region"
      aria-label={label}
      tabIndex={0}
      style={{
        maxHeight: "28rem",
        overflowY: "auto",
        whiteSpace: "pre-wrap",
        overflowWrap: "anywhere",
        padding: "var(--p-space-300)",
        border: "1px solid var(--p-color-border)",
        borderRadius: "var(--p-border-radius-200)",
      }}
    >
      {children}
    </div>
  );
}
