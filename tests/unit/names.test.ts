// Names and sizes of files, and the words that stay out of them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "vitest";
import {
  allFilesBelow,
  below,
  expectNone,
  filesBelow,
  importsOf,
  root,
} from "../support/source-files.ts";

const files = filesBelow("app");
const imports = files.flatMap(importsOf);

describe("names", () => {
  test("no folder except the routes has more than 20 files", () => {
    const counts = new Map<string, number>();
    for (const file of [...allFilesBelow("app"), ...allFilesBelow("tests")]) {
      const folder = dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expectNone(
      [...counts]
        .filter(([folder, count]) => count > 20 && folder !== "app/routes")
        .map(([folder, count]) => `${folder} holds ${count} files`),
      "a folder with more files hides its subjects: give one of them its own folder",
    );
  });

  test("no folder has a catch-all name", () => {
    const drawers = new Set([
      "utils",
      "util",
      "lib",
      "libs",
      "helpers",
      "services",
      "types",
      "constants",
      "common",
      "shared",
      "misc",
    ]);
    const found = [...files, ...filesBelow("tests")].flatMap((file) =>
      dirname(file)
        .split("/")
        .filter((folder) => drawers.has(folder)),
    );
    expectNone(
      found,
      "a function without a subject belongs to runtime/ under a real noun, or it is not needed",
    );
  });

  test("the brand's packages are imported in the app library's own files only", () => {
    const brand = imports.filter(({ target }) => target.startsWith("@shopify/"));
    const isScreen = below("app/components", "app/routes");
    const isLibrary = below(
      "app/shopify.server.ts",
      "app/domain/tenants/storefront/session-storage.ts",
    );
    expectNone(
      brand.filter(({ file }) => !isScreen(file) && !isLibrary(file)).map(({ file }) => file),
      "the neutral words keep the vendor in one place",
    );
    const isDesign = (target: string) =>
      /^@shopify\/(polaris|app-bridge-react|shopify-app-remix\/(react|server))/.test(target);
    expectNone(
      brand
        .filter(({ file, target }) => isScreen(file) && !isDesign(target))
        .map(({ file, target }) => `${file} imports ${target}`),
      "screens use the design system and nothing else of the vendor",
    );
  });

  test("only shopify.server.ts has the brand in its name, beside the paths that the library prescribes", () => {
    expectNone(
      files.filter(
        (file) =>
          /shopify/i.test(file) &&
          !file.startsWith("app/routes/auth.shopify.") &&
          file !== "app/shopify.server.ts",
      ),
      "names use the contract's neutral words",
    );
  });

  test("old names and words do not come back", () => {
    const oldNames = [
      "deed",
      "deeds",
      "basket",
      "useDeed",
      "orAnswer",
      "visitScreen",
      "visitStandalone",
      "recallTenant",
      "lane",
      "silent-lines",
      "waiting-rows",
      "reviveRows",
      "fileMessage",
      "isFiled",
      "placesOf",
      "NOTHING_TO_SAY",
      "useLooking",
      "useTyped",
      "LatelyCard",
      "keepWhenLocked",
      "keepWhenUnreachable",
      "goElsewhere",
      "askOpenly",
      "turnAgents",
      "AnotherPass",
      "erasureWord",
      "softTenant",
      "proveFirst",
      "admitCall",
      "countTry",
      "isTryLeft",
      "takeFromStranger",
      "mailboxOf",
      "answerOnce",
      "lockStanding",
      "refuseUnavailable",
      "spreadPerson",
      "untilUsable",
      "startWorld",
      "startChannelWorld",
      "startWorkerWorld",
    ];
    const oldWords = ["pretended", "whoever", "nobody's", "told", "said", "lately", "in step"];
    const texts = [
      ...files,
      ...filesBelow("tests"),
      ...filesBelow("scripts"),
      ...["docs", "docs/decisions"].flatMap((folder) =>
        readdirSync(join(root, folder))
          .filter((name) => name.endsWith(".md"))
          .map((name) => `${folder}/${name}`),
      ),
      "README.md",
      "CONTRIBUTING.md",
    ].filter((file) => file !== "tests/unit/names.test.ts");
    const find = (words: readonly string[], searched: readonly string[]) => {
      const pattern = new RegExp(`(?<![\\w-])(${words.join("|")})(?![\\w-])`, "gi");
      return searched.flatMap((file) =>
        [...readFileSync(join(root, file), "utf8").matchAll(pattern)].map(
          ([word]) => `${file}: ${word}`,
        ),
      );
    };
    expectNone(
      [...find(oldNames, texts), ...find(oldWords, texts)],
      "names and comments use the words of the Shopify, Remix, Postgres and OAuth documentation",
    );
  });

  test("bounds are named MAX_* and MIN_*", () => {
    const superlative = "MOST|LEAST|LONGEST|SHORTEST|LARGEST|SMALLEST|DEEPEST";
    const pattern = new RegExp(
      `\\bconst ((?:${superlative})(?:_[A-Z_]+)?|[A-Z_]+_(?:${superlative})) =`,
      "g",
    );
    const found = [...files, ...filesBelow("tests")].flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(pattern)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expectNone(found, "one family of names makes a bound easy to find");
  });

  test("files are named in kebab-case", () => {
    const odd = [...files, ...filesBelow("tests")].filter(
      (file) =>
        !below("app/routes")(file) &&
        !/\/[a-z0-9]+(-[a-z0-9]+)*(\.(server|client|test|d))?\.(ts|tsx|js|mjs)$/.test(file),
    );
    expectNone(odd, "one spelling makes a name easy to find");
  });
});

// Sizes are measured on formatted code.
describe("sizes", () => {
  const linesOf = (file: string) =>
    readFileSync(join(root, file), "utf8").trimEnd().split("\n").length;
  const longer = (list: string[], most: number) =>
    list.filter((file) => linesOf(file) > most).map((file) => `${file}: ${linesOf(file)} lines`);

  test("no file of the service has more than 410 lines", () => {
    expectNone(longer([...files, ...filesBelow("scripts")], 410), "a file that long has two jobs");
  });

  test("no file of the tests has more than 500 lines", () => {
    expectNone(longer(filesBelow("tests"), 500), "a file that long has two subjects");
  });

  test("no endpoint's file has more than 50 lines", () => {
    expectNone(
      longer(
        files.filter((file) => below("app/routes")(file) && file.endsWith(".ts")),
        50,
      ),
      "a route declares and delegates",
    );
  });
});
