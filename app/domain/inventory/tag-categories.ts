/** The categories of tags (SPEC "crm_tags"), in the order in which screens list them. */
export const TAG_CATEGORIES = [
  "status",
  "tier",
  "segment",
  "campaign",
  "consent",
  "marketing",
] as const;
export type TagCategory = (typeof TAG_CATEGORIES)[number];
