// The home of tags: categories, the tags every store starts with, how a name becomes a slug (SPEC "crm_tags", "Default
// tags"; DECISIONS 8).
export const TAG_CATEGORIES = [
  "status",
  "tier",
  "segment",
  "campaign",
  "consent",
  "marketing",
] as const;
export type TagCategory = (typeof TAG_CATEGORIES)[number];

export type TagDefinition = { name: string; slug: string; category: TagCategory };

const NAMES: Partial<Record<TagCategory, readonly string[]>> = {
  status: ["Active", "Inactive"],
  tier: ["VIP", "Prospect"],
  consent: [
    "Accepts Marketing",
    "Rejects Marketing",
    "Accepts TOU",
    "Accepts Privacy",
    "Accepts Cookie",
  ],
  marketing: ["Email Subscribed", "Email Unsubscribed", "SMS Subscribed"],
  segment: ["High Value", "Returning", "New Customer", "At Risk"],
  campaign: ["Campaign"],
};

const MAX_SLUG_LENGTH = 40;

/** At most 40 of a-z, 0-9 and single underscores; empty when nothing of the name is left. */
export function toSlug(name: string): string {
  const slug = name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_/, "");
  return slug.slice(0, MAX_SLUG_LENGTH).replace(/_$/, "");
}

export const DEFAULT_TAGS: readonly TagDefinition[] = TAG_CATEGORIES.flatMap((category) =>
  (NAMES[category] ?? []).map((name) => ({ name, slug: toSlug(name), category })),
);

const DEFAULTS = new Map(DEFAULT_TAGS.map((tag) => [tag.slug, tag]));

/** What a tag is when it is first used: one of the defaults, else a campaign. */
export function defineTag(name: string): TagDefinition {
  const slug = toSlug(name);
  return (
    DEFAULTS.get(slug) ?? {
      name: name.normalize("NFKC").trim().replace(/\s+/g, " ").slice(0, 80),
      slug,
      category: "campaign",
    }
  );
}

const SUBSCRIBED = "_subscribed";

/** The two tags of a form submission (SPEC "Form bridge"); a long form type is cut so that the ends stay whole. */
export function formTags(formType: string, date: Date): [subscribed: string, dated: string] {
  const form = toSlug(formType)
    .slice(0, MAX_SLUG_LENGTH - SUBSCRIBED.length)
    .replace(/_$/, "");
  return [form + SUBSCRIBED, `${form}_${date.toISOString().slice(0, 10).replaceAll("-", "_")}`];
}

/** Whether a slug is the dated tag of a form submission: the only kind that grows by itself. */
export const isDatedFormTag = (slug: string): boolean => /_\d{4}_\d{2}_\d{2}$/.test(slug);

/**
 * The customer tag of a form for the storefront alone, `accepts_<form_type>`. Null for what is no form's tag, and for a
 * form named like a consent: a subscription must not read as that consent.
 */
export function toAcceptsTag(tag: { slug: string; category: string }): string | null {
  if (tag.category !== "campaign" || !tag.slug.endsWith(SUBSCRIBED)) return null;
  const accepts = `accepts_${tag.slug.slice(0, -SUBSCRIBED.length)}`;
  return DEFAULTS.has(accepts) ? null : accepts;
}
