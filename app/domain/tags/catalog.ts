// The default tags of every store, and slugs (SPEC "Default tags"; DECISIONS 8).
import { TAG_CATEGORIES, type TagCategory } from "../inventory/tag-categories.ts";

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

const toWholeSlug = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_/, "")
    .replace(/_$/, "");

/** At most 40 of a-z, 0-9 and single underscores; empty when no character remains. */
export const toSlug = (name: string): string =>
  toWholeSlug(name).slice(0, MAX_SLUG_LENGTH).replace(/_$/, "");

export const DEFAULT_TAGS: readonly TagDefinition[] = TAG_CATEGORIES.flatMap((category) =>
  (NAMES[category] ?? []).map((name) => ({ name, slug: toSlug(name), category })),
);

const DEFAULTS = new Map(DEFAULT_TAGS.map((tag) => [tag.slug, tag]));

const SUBSCRIBED = "_subscribed";
const FORM_TAG = /^([a-z0-9_]+)(_subscribed|_\d{4}_\d{2}_\d{2})$/;

/** The tag of the people who submitted a form. */
export const subscriptionTagOf = (form: string): string => form + SUBSCRIBED;

const isDefault = (slug: string): boolean => DEFAULTS.has(slug);

/**
 * The form of a form submission's tag (SPEC "Form bridge"); null for any other slug, and for a
 * default tag.
 */
export function formOfTag(slug: string): string | null {
  const [, form, end] = FORM_TAG.exec(slug) ?? [];
  if (!form || !end || isDefault(slug)) return null;
  return end === SUBSCRIBED || isDay(end.slice(1).replaceAll("_", "-")) ? form : null;
}

function isDay(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** A tag that a shopper may add although the store does not have it yet. */
export const isOpenToSelfService = (slug: string): boolean =>
  isDefault(slug) || formOfTag(slug) !== null;

/**
 * The slug of a tag's name. A form tag is shortened in its form's name, so that the suffix stays
 * whole.
 */
function slugOfName(name: string): string {
  const [, form, end] = FORM_TAG.exec(toWholeSlug(name)) ?? [];
  return form && end ? cutForm(form) + end : toSlug(name);
}

const cutForm = (form: string): string =>
  form.slice(0, MAX_SLUG_LENGTH - SUBSCRIBED.length).replace(/_$/, "");

/** The definition of a tag at its first use: one of the defaults, else a campaign. */
export function defineTag(name: string): TagDefinition {
  const slug = slugOfName(name);
  return (
    DEFAULTS.get(slug) ?? {
      name: name.normalize("NFKC").trim().replace(/\s+/g, " ").slice(0, 80),
      slug,
      category: "campaign",
    }
  );
}

/**
 * A tag as a shopper makes it: the store shows its name, passes it on to the CMS and keeps it when the shopper is
 * erased, so that it holds no text that a slug does not hold, such as an address.
 */
export const withPlainName = (tag: TagDefinition): TagDefinition =>
  /^[\w -]+$/.test(tag.name) ? tag : { ...tag, name: tag.slug };

/** Whether a slug is the dated tag of a form submission: the only kind that grows by itself. */
export const isDatedFormTag = (slug: string): boolean => /_\d{4}_\d{2}_\d{2}$/.test(slug);

/**
 * A form's customer tag at the storefront, `accepts_<form_type>`. Null for other tags, and for a
 * form named like a consent: a subscription must not look like that consent.
 */
export function toAcceptsTag(tag: { slug: string; category: string }): string | null {
  if (tag.category !== "campaign" || !tag.slug.endsWith(SUBSCRIBED)) return null;
  const accepts = `accepts_${tag.slug.slice(0, -SUBSCRIBED.length)}`;
  return DEFAULTS.has(accepts) ? null : accepts;
}
