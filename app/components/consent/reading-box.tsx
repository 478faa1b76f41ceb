import type { ReactNode } from "react";

type Props = {
  label: string;
  /** Set when the whole text is in another language than the screen. */
  lang?: string;
  children: ReactNode;
};

/** A long text in its own lines and their own direction, scrolled also by keyboard. */
export function ReadingBox({ label, lang, children }: Props) {
  return (
    <div
      role="region"
      aria-label={label}
      lang={lang}
      tabIndex={0}
      style={{
        maxHeight: "28rem",
        overflowY: "auto",
        whiteSpace: "pre-wrap",
        unicodeBidi: "plaintext",
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
