// What a store decides about its consent banner, and the rules that no design can break (WCAG 2.2 AA): text
// has a contrast of 4.5:1, a button of 3:1 to what surrounds it. Refusing has no setting: its button is always
// there, beside accepting, in the same colours and of the same size.
import { z } from "zod";
import {
  BANNER_LANGUAGES,
  BANNER_TEXT_NAMES,
  shippedTexts,
  type BannerLanguage,
  type BannerTextName,
  type BannerTexts,
} from "./banner-texts.ts";
import { hasInvisible } from "../../../runtime/text/invisible.ts";
import { isLoopbackHost } from "../public-hosts.ts";
import { contrastOf } from "./contrast.ts";

const TEMPLATES = ["bar", "corner", "centre", "minimal"] as const;
const POSITIONS = ["left", "middle", "right"] as const;
const SCHEMES = ["auto", "light", "dark"] as const;
const FONTS = ["system", "theme", "serif", "rounded"] as const;
export type BannerFont = (typeof FONTS)[number];

const MIN_TEXT_CONTRAST = 4.5;
const MIN_BUTTON_CONTRAST = 3;
const MAX_RADIUS = 24;
const MAX_LOGO_ADDRESS = 500;
/** A label of a button or link; the names of choices and the titles. */
const MAX_LABEL = 60;
const MAX_TEXT = 600;

const Color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, "must be a color such as #1a1c1d")
  .transform((color) => color.toLowerCase());

export type BannerColors = Record<"ground" | "text" | "button" | "on_button", string>;

/** The pairs of colours that meet, each with the contrast that it needs. */
const PAIRS = [
  { name: "text", of: "text", on: "ground", min: MIN_TEXT_CONTRAST },
  { name: "button_text", of: "on_button", on: "button", min: MIN_TEXT_CONTRAST },
  { name: "button", of: "button", on: "ground", min: MIN_BUTTON_CONTRAST },
] as const;

export type BannerContrast = { name: (typeof PAIRS)[number]["name"]; ratio: number; min: number };

/** Rounded down to a hundredth, so that a ratio below its limit never reads as the limit. */
const contrastsOf = (colors: BannerColors): BannerContrast[] =>
  PAIRS.map(({ name, of, on, min }) => ({
    name,
    min,
    ratio: Math.floor(contrastOf(colors[of], colors[on]) * 100) / 100,
  }));

/** The contrasts of these colours; null while one of them is still being typed. */
export function findContrasts(colors: unknown): BannerContrast[] | null {
  const typed = z
    .object({ ground: Color, text: Color, button: Color, on_button: Color })
    .safeParse(colors);
  return typed.success ? contrastsOf(typed.data) : null;
}

const Colors = z
  .strictObject({ ground: Color, text: Color, button: Color, on_button: Color })
  .superRefine((colors, issues) => {
    for (const { name, ratio, min } of contrastsOf(colors))
      if (ratio < min)
        issues.addIssue({
          code: "custom",
          message: `contrast of ${name} is ${ratio}:1, at least ${min}:1 is needed`,
        });
  });

/** The texts that carry a sentence; the others are labels. */
const SENTENCES: ReadonlySet<BannerTextName> = new Set<BannerTextName>([
  "text",
  "necessaryText",
  "cookieText",
  "marketingText",
  "gpc",
  "saved",
]);

export const maxLengthOf = (name: BannerTextName): number =>
  SENTENCES.has(name) ? MAX_TEXT : MAX_LABEL;

const STACKED_MARKS = /\p{M}{3}/u;
const LETTER_PAIR = /\p{L}.*\p{L}/u;

/** Emoji have a variation selector, which is invisible by itself. */
const plain = (text: string) => text.replaceAll("\uFE0F", "");

const textOf = (name: BannerTextName) =>
  z
    .string()
    .trim()
    .max(maxLengthOf(name), `must have at most ${maxLengthOf(name)} characters`)
    .refine((text) => !hasInvisible(plain(text)), "must be visible characters on one line")
    .refine((text) => !STACKED_MARKS.test(text), "must be readable")
    .refine((text) => LETTER_PAIR.test(text), "must be at least two letters")
    .optional();

const Texts = z.strictObject(
  Object.fromEntries(BANNER_TEXT_NAMES.map((name) => [name, textOf(name)])) as Record<
    BannerTextName,
    ReturnType<typeof textOf>
  >,
);
/** The texts of one language that differ from the shipped ones. */
type OwnTexts = Partial<BannerTexts>;

const answersAlike = (language: BannerLanguage, own: OwnTexts): boolean => {
  const { accept, refuse } = { ...shippedTexts(language), ...own };
  return accept.toLowerCase() === refuse.toLowerCase();
};

const LanguageTexts = z
  .strictObject(
    Object.fromEntries(BANNER_LANGUAGES.map((language) => [language, Texts.optional()])) as Record<
      BannerLanguage,
      z.ZodOptional<typeof Texts>
    >,
  )
  .superRefine((texts, issues) => {
    for (const [language, own] of Object.entries(texts) as [BannerLanguage, OwnTexts][])
      if (own && answersAlike(language, own))
        issues.addIssue({
          code: "custom",
          path: [language, "refuse"],
          message: "must differ from the text of accepting",
        });
  });

/** Files of the sandbox's stores are on this machine, without TLS. */
const isSafe = (url: URL): boolean =>
  url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));

const Logo = z
  .string()
  .max(MAX_LOGO_ADDRESS)
  .transform((address) => URL.parse(address))
  .refine(
    (url) => url !== null && isSafe(url) && !url.username && !url.password,
    "must be an https:// address",
  )
  .transform((url) => url?.href ?? "");

export const BannerDesign = z
  .strictObject({
    template: z.enum(TEMPLATES),
    /** Used by the corner and the minimal template. */
    position: z.enum(POSITIONS),
    /** `auto`: as the shopper's system has it. */
    scheme: z.enum(SCHEMES),
    light: Colors,
    dark: Colors,
    /** The corner radius, in CSS pixels. */
    radius: z.int().min(0).max(MAX_RADIUS),
    font: z.enum(FONTS),
    logo_url: Logo.nullable(),
    /** Whether the banner links to the policies whose addresses the store has set. */
    links: z.strictObject({ privacy: z.boolean(), terms: z.boolean() }),
    texts: LanguageTexts,
  })
  .refine(({ template, position }) => template !== "corner" || position !== "middle", {
    path: ["position"],
    message: "must be left or right in a corner",
  });
export type BannerDesign = z.output<typeof BannerDesign>;

/** The design of a store that published none. */
export const DEFAULT_DESIGN: BannerDesign = {
  template: "bar",
  position: "left",
  scheme: "auto",
  light: { ground: "#ffffff", text: "#1a1c1d", button: "#1a1c1d", on_button: "#ffffff" },
  dark: { ground: "#1a1c1d", text: "#f3f4f5", button: "#f3f4f5", on_button: "#1a1c1d" },
  radius: 6,
  font: "system",
  logo_url: null,
  links: { privacy: true, terms: false },
  texts: {},
};

export const textsOf = (design: BannerDesign, language: BannerLanguage): BannerTexts => ({
  ...shippedTexts(language),
  ...design.texts[language],
});
