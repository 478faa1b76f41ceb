// The document titles of the standalone pages. They come with the frame's data, which keeps the language
// of the first URL while the pages change.
import type { MetaFunction } from "@remix-run/node";

const PAGES = ["setup", "settings", "onboarding"] as const;
type StandaloneName = (typeof PAGES)[number];
export type StandaloneTitles = Record<StandaloneName, string>;

export function standaloneTitles(textOf: (key: string) => string): StandaloneTitles {
  const titleOf = (name: StandaloneName) => `${textOf(`nav.${name}`)} · ${textOf("brand")}`;
  return Object.fromEntries(PAGES.map((name) => [name, titleOf(name)])) as StandaloneTitles;
}

export const standaloneMeta =
  (name: StandaloneName): MetaFunction =>
  ({ matches }) => {
    const frame = matches.find(({ id }) => id === "routes/_standalone");
    // There are no data when the frame itself failed.
    const known = frame?.data as { titles?: StandaloneTitles } | undefined;
    return known?.titles ? [{ title: known.titles[name] }] : [];
  };
