// What `data-consent` of a marked script may name, with the question of the banner that decides it. The purposes are
// those of the storefront's own record. It imports nothing, because every shopper downloads it.

export const QUESTION_OF = {
  analytics: "cookie",
  marketing: "marketing",
  preferences: "cookie",
  sale_of_data: "marketing",
} as const;

export type MarkPurpose = keyof typeof QUESTION_OF;
