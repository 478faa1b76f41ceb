/** The frame of a page or mail that is only looked at. */
export const PREVIEW_FRAME = {
  width: "100%",
  height: "36rem",
  border: "var(--p-border-width-025) solid var(--p-color-border)",
  borderRadius: "var(--p-border-radius-200)",
} as const;
