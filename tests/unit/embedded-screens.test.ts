// What the screens inside the store admin take from the admin itself: the title bar, the dialogs and
// the save bar.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { below, expectNone, filesBelow, importsOf, root } from "../support/source-files.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const screens = filesBelow("app").filter(below("app/components", "app/routes"));

/** The names that a file imports from a package. */
function namesFrom(file: string, target: string): string[] {
  const lists = read(file).matchAll(/^import\s*\{([^}]*)\}\s*from\s*"([^"]+)"/gm);
  return [...lists]
    .filter(([, , from]) => from === target)
    .flatMap(([, names]) => (names as string).split(","))
    .map((name) => name.trim().replace(/^type\s+/, ""))
    .filter(Boolean);
}

test("no screen uses the design system's own dialog, save bar, toast or frame", () => {
  const own = ["Modal", "ContextualSaveBar", "Toast", "Frame", "TopBar", "Navigation"];
  expectNone(
    screens.flatMap((file) =>
      namesFrom(file, "@shopify/polaris")
        .filter((name) => own.includes(name))
        .map((name) => `${file} imports ${name}`),
    ),
    "inside the admin these are the admin's: use ui/dialog.tsx, ui/confirm-button.tsx, settings/embedded-save-bar.tsx, ui/toast.ts",
  );
});

test("the admin's title bar, dialog and save bar each have one place", () => {
  const places: Record<string, string[]> = {
    TitleBar: [
      "app/components/frame/screen-page.tsx",
      "app/components/ui/confirm-button.tsx",
      "app/components/ui/dialog.tsx",
    ],
    Modal: ["app/components/ui/confirm-button.tsx", "app/components/ui/dialog.tsx"],
    SaveBar: ["app/components/settings/embedded-save-bar.tsx"],
  };
  const found = Object.keys(places).map((name) => [
    name,
    screens.filter((file) => namesFrom(file, "@shopify/app-bridge-react").includes(name)),
  ]);
  expect(Object.fromEntries(found)).toEqual(places);
});

test("every screen has one title: the frame's", () => {
  const pages = filesBelow("app/routes").filter(
    (file) => /\/app\..+\.tsx$/.test(file) && file !== "app/routes/app.$.tsx",
  );
  expect(pages.length).toBeGreaterThan(10);
  const titlesOf = (file: string) =>
    [file, ...importsOf(file).map(({ target }) => target)]
      .filter((part) => below("app/components", "app/routes")(part))
      // It is shown instead of the screen.
      .filter((part) => part !== "app/components/events/event-sections.tsx")
      .reduce((sum, part) => sum + (read(part).match(/<ScreenPage\b/g) ?? []).length, 0);
  expect(pages.map((file) => [file, titlesOf(file)])).toEqual(pages.map((file) => [file, 1]));

  expect(
    screens.filter(
      (file) =>
        namesFrom(file, "@shopify/polaris").includes("Page") && !file.includes("standalone"),
    ),
  ).toEqual([]);
});
