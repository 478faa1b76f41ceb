// The map of the house, held by the imports themselves. A failure says which rule and why it is there.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const SOURCE = /\.(ts|tsx|mjs|js)$/;

function filesBelow(folder: string): string[] {
  return (
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      // What a bench installed beside itself is not ours.
      .filter((entry) => !entry.parentPath.split(sep).includes("node_modules"))
      .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith("app/generated/"))
      .sort()
  );
}

type Import = { file: string; target: string; isType: boolean };

/** What a file imports: a path of ours from the root of the project, or a package's name. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?["']([^"']+)["']|\bimport\(\s*(?:\/\*.*?\*\/\s*)?["']([^"']+)["']\s*\)/gm,
  );
  return [...found].map(([, type, fixed, dynamic]) => {
    const name = (fixed ?? dynamic) as string;
    const target = name.startsWith("~/")
      ? join("app", name.slice(2))
      : name.startsWith(".")
        ? normalize(join(dirname(file), name))
        : name;
    return { file, target, isType: Boolean(type) };
  });
}

/** Fails with each thing that was found and the reason why it must not be there. */
function expectNone(found: Iterable<string>, why: string): void {
  expect([...new Set(found)].map((one) => `${one}: ${why}`)).toEqual([]);
}

const files = filesBelow("app");
const imports = files.flatMap(importsOf);
const ours = imports.filter(({ target }) => target.startsWith("app/"));
const below =
  (...folders: string[]) =>
  (path: string) =>
    folders.some(
      (folder) => path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`),
    );

/** Imports from `from` that lead anywhere but to `allowed`, `import type { Ctx }` aside. */
function strays(from: string, allowed: readonly string[]): string[] {
  const isAllowed = below(...allowed);
  return ours
    .filter(
      ({ file, target, isType }) =>
        below(from)(file) && !isAllowed(target) && !(isType && target === "app/context.server.ts"),
    )
    .map(({ file, target }) => `${file} imports ${target}`);
}

test("the imports are really read: every relative one leads to a file", () => {
  const known = new Set([
    ...files,
    ...filesBelow("app").map((file) => file.replace(/\.tsx?$/, "")),
  ]);
  expect(ours.length).toBeGreaterThan(files.length);
  expect(
    ours
      .filter(
        ({ target }) =>
          !known.has(target) &&
          !target.startsWith("app/generated/") &&
          !target.endsWith(".css") &&
          !target.includes(".css?"),
      )
      .map(({ file, target }) => `${file} imports ${target}`),
  ).toEqual([]);
});

describe("imports follow the map", () => {
  const rules: [folder: string, allowed: string[], why: string][] = [
    [
      "app/runtime",
      ["app/runtime", "app/generated"],
      "equipment knows nothing of the service, so that everything may use it",
    ],
    ["app/sandbox", ["app/sandbox"], "the pretended world must not inherit our mistakes"],
    ["app/integrations", ["app/integrations", "app/runtime"], "clients hold no rules"],
    [
      "app/components",
      ["app/components", "app/domain/tenants/connection-state.ts"],
      "parts of screens know React and the shape of what they show",
    ],
    [
      "app/domain",
      ["app/domain", "app/integrations", "app/runtime", "app/generated"],
      "rules do not know how they were asked",
    ],
    [
      "app/http",
      [
        "app/http",
        "app/domain/tenants",
        "app/domain/identity",
        "app/domain/agents",
        "app/domain/events",
        "app/domain/customers/webhook-inbox.ts",
        "app/domain/bus",
        "app/domain/consent/sync-consent.ts",
        "app/domain/compliance",
        "app/embeds",
        "app/runtime",
        "app/shopify.server.ts",
      ],
      "what every route shares decides who may call and how it is answered, not what happens",
    ],
    [
      "app/routes",
      ["app/routes", "app/http", "app/domain", "app/embeds", "app/components", "app/runtime"],
      "a route parses, calls and responds; it never reaches a client or the database itself",
    ],
    [
      "app/context.server.ts",
      ["app/integrations", "app/runtime", "app/domain/channels", "app/domain/bus/channel.ts"],
      "it builds the parts, it holds no rules",
    ],
  ];
  test.each(rules)("%s", (folder, allowed, why) => {
    expectNone(strays(folder, allowed), why);
  });

  test("routes do not touch the database", () => {
    const reaching = ours.filter(
      ({ file, target }) =>
        below("app/routes")(file) &&
        /runtime\/(database|tenant-prisma|kv|migrations)\.ts$/.test(target),
    );
    expectNone(
      reaching.map(({ file, target }) => `${file} imports ${target}`),
      "a query in a route has no home and no test of its own",
    );
  });

  const SUBJECTS = [
    "tenants",
    "bus",
    "tags",
    "consent",
    "customers",
    "identity",
    "commerce",
    "agents",
    "compliance",
    "events",
    "channels",
  ];
  const subjectOf = (path: string) => /^app\/domain\/([^/]+)\//.exec(path)?.[1] ?? "";

  test("a subject imports earlier subjects only", () => {
    const backwards = ours.filter(
      ({ file, target }) =>
        subjectOf(file) &&
        subjectOf(target) &&
        SUBJECTS.indexOf(subjectOf(target)) > SUBJECTS.indexOf(subjectOf(file)),
    );
    expectNone(
      backwards.map(({ file, target }) => `${file} imports ${target}`),
      `the order is ${SUBJECTS.join(" < ")}: a circle of subjects is one subject`,
    );
  });

  test("every subject has its place in the order", () => {
    expectNone(
      files.map(subjectOf).filter((subject) => subject && !SUBJECTS.includes(subject)),
      "a new subject needs its place in SUBJECTS and in the map",
    );
  });

  test("only tests and the process know the sandbox", () => {
    const knowing = ours
      .filter(({ file, target }) => below("app/sandbox")(target) && !below("app/sandbox")(file))
      .map(({ file }) => file);
    expectNone(
      knowing.filter((file) => file !== "app/sandbox-systems.ts"),
      "the service must not behave differently because its world is pretended",
    );
  });
});

describe("one way to the data", () => {
  const uses = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(root, file), "utf8")));

  test("statements across tenants stand only in the files that serve all tenants", () => {
    const serving = [
      "app/domain/bus/claim.ts",
      "app/domain/bus/dead-letters.ts",
      "app/domain/bus/event-shop.ts",
      "app/domain/bus/queue-depth.ts",
      "app/domain/bus/settle.ts",
      "app/domain/customers/tag-run-worker.ts",
      "app/domain/customers/webhook-inbox.ts",
      "app/domain/events/ingest.ts",
      "app/domain/tenants/directory.ts",
      "app/domain/tenants/regions.ts",
      "app/domain/compliance/privacy-requests.ts",
      "app/domain/compliance/table-slices.ts",
      "app/domain/tenants/tenant.ts",
      "app/http/tenant-lookup.ts",
      "app/runtime/database.ts",
      "app/runtime/kv.ts",
      "app/runtime/retention.ts",
    ];
    expectNone(
      uses(/\bacrossTenants\b/).filter((file) => !serving.includes(file)),
      "use forTenant(shop): a forgotten filter is then impossible. A file that must serve all tenants is listed here, with a reviewer's eye on it",
    );
  });

  test("connections and clients of Postgres are made in runtime alone", () => {
    const makers = imports
      .filter(
        ({ target }) =>
          target === "pg" || target.includes("generated/prisma") || target.startsWith("@prisma/"),
      )
      .map(({ file }) => file);
    expectNone(
      makers.filter((file) => !below("app/runtime")(file)),
      "a second way to the data is a way around the tenant filter",
    );
  });

  test("a store's archived objects are reached through the store's root alone", () => {
    const openers = uses(/\b(openObjectStore|openMovableArchive|openBucket|openFolder)\(/);
    expectNone(
      openers.filter((file) => !below("app/integrations", "app/context.server.ts")(file)),
      "use ctx.archive.ofStore(shop): a path without its store is an object that two stores share",
    );
  });

  test("calls leave through runtime/outbound.ts alone", () => {
    const callers = uses(/(?<![.\w])fetch\(|from "undici"|from "node:https"/).filter(
      (file) =>
        !below(
          "app/sandbox",
          "app/components",
          "app/embeds/scripts",
          "app/embeds/shopper",
          "app/demo-store.ts",
          "app/runtime/outbound.ts",
        )(file),
    );
    expectNone(callers, "another way out has no address guard, no timeout and no log line");
  });
});

test("what comes later than its page is waited for in components/later.tsx alone", () => {
  const waiting = files
    .filter(below("app/components", "app/routes"))
    .filter((file) => /<Suspense|<Await|\blazy\(/.test(readFileSync(join(root, file), "utf8")));
  expectNone(
    waiting.filter((file) => file !== "app/components/later.tsx"),
    "a boundary on the page as it arrives is given up, with an error, when anything around it changes before it is taken over",
  );
});

describe("names", () => {
  test("no folder is a drawer for everything", () => {
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

  test("the brand's packages are imported in the app library's own files alone", () => {
    const brand = imports.filter(({ target }) => target.startsWith("@shopify/"));
    const isScreen = below("app/components", "app/routes");
    const isLibrary = below("app/shopify.server.ts", "app/domain/tenants/session-storage.ts");
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

  test("only shopify.server.ts carries the brand in its name, beside the paths that the library prescribes", () => {
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

  test("files are named in kebab-case", () => {
    const odd = [...files, ...filesBelow("tests")].filter(
      (file) =>
        !below("app/routes")(file) &&
        !/\/[a-z0-9]+(-[a-z0-9]+)*(\.(server|client|test|d))?\.(ts|tsx|js|mjs)$/.test(file),
    );
    expectNone(odd, "one spelling, so that a name is found at the first try");
  });
});

// Sizes are measured on formatted code. Files of texts are data and have no limit.
describe("sizes", () => {
  const linesOf = (file: string) =>
    readFileSync(join(root, file), "utf8").trimEnd().split("\n").length;
  const longer = (list: string[], most: number) =>
    list.filter((file) => linesOf(file) > most).map((file) => `${file}: ${linesOf(file)} lines`);

  test("no file of the service has more than 410 lines", () => {
    const source = files.filter((file) => !/-words(-\w\w)?\.ts$/.test(file));
    expectNone(longer([...source, ...filesBelow("scripts")], 410), "a file that long has two jobs");
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
