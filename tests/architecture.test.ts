// The import rules. A failure names the rule and its reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { below, expectNone, filesBelow, importsOf, root } from "./support/source-files.ts";

const files = filesBelow("app");
const imports = files.flatMap(importsOf);
const ours = imports.filter(({ target }) => target.startsWith("app/"));

/** Types that may be imported anywhere, and those of read models and results by what shows them. */
const isTypeAllowed = (file: string, target: string): boolean =>
  target === "app/context.server.ts" ||
  (below("app/components")(file) &&
    below("app/domain", "app/http/screens/screen-actions.ts")(target));

/** Imports from `from` to anything but `allowed`. */
function strays(from: string, allowed: readonly string[]): string[] {
  const isAllowed = below(...allowed);
  return ours
    .filter(
      ({ file, target, isType }) =>
        below(from)(file) && !isAllowed(target) && !(isType && isTypeAllowed(file, target)),
    )
    .map(({ file, target }) => `${file} imports ${target}`);
}

test("imports are parsed: every relative one leads to a file", () => {
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
          !target.endsWith(".json") &&
          !target.includes(".css?"),
      )
      .map(({ file, target }) => `${file} imports ${target}`),
  ).toEqual([]);
});

test("what Node loads itself reads no pattern of files, which only Vite knows", () => {
  const reached = new Set(
    files.filter((file) => file === "app/server.ts" || /^app\/routes\/.*\.ts$/.test(file)),
  );
  for (const from of reached)
    for (const { file, target, isType } of ours) if (file === from && !isType) reached.add(target);
  const uses = (file: string) =>
    files.includes(file) && readFileSync(join(root, file), "utf8").includes("import.meta.glob");
  expectNone([...reached].filter(uses), "the service starts without Vite");
});

describe("imports follow the map", () => {
  const rules: [folder: string, allowed: string[], why: string][] = [
    [
      "app/runtime",
      ["app/runtime", "app/generated"],
      "runtime depends on nothing of the service, so that everything may use it",
    ],
    ["app/sandbox", ["app/sandbox"], "the sandbox must not inherit our mistakes"],
    [
      "app/demo",
      ["app/demo", "app/domain", "app/runtime", "app/sandbox", "app/db.server.ts"],
      "the demo store's history is written by the domain's own functions",
    ],
    ["app/integrations", ["app/integrations", "app/runtime"], "clients hold no rules"],
    [
      "app/components",
      ["app/components", "app/locales"],
      "components know React, texts, and the types of what they show",
    ],
    [
      "app/domain",
      [
        "app/domain",
        "app/integrations",
        "app/runtime",
        "app/generated",
        "app/locales",
        "app/db.server.ts",
      ],
      "domain rules do not depend on the transport",
    ],
    [
      "app/http",
      [
        "app/http",
        "app/domain/inventory/sign-in-providers.ts",
        "app/domain/tenants",
        "app/domain/identity",
        "app/domain/agent-activity",
        "app/domain/agents",
        "app/domain/events",
        "app/domain/commerce/idempotency.ts",
        "app/domain/customers/bulk/run-row.ts",
        "app/domain/customers/webhooks/delivery-identity.ts",
        "app/domain/customers/webhooks/receive-webhook.ts",
        "app/domain/customers/webhooks/webhook-inbox.ts",
        "app/domain/bus",
        "app/domain/consent/consent-types.ts",
        "app/domain/consent/submit/consent-link.ts",
        "app/domain/consent/visit.ts",
        "app/domain/compliance",
        "app/embeds",
        "app/locales/languages.ts",
        "app/runtime",
        "app/shopify.server.ts",
      ],
      "http decides who may call and how a response looks, not what happens",
    ],
    [
      "app/routes",
      [
        "app/routes",
        "app/http",
        "app/domain",
        "app/embeds",
        "app/components",
        "app/runtime",
        "app/shopify.server.ts",
      ],
      "a route parses, calls and responds; it never reaches a client or the database itself",
    ],
    [
      "app/process",
      ["app/process", "app/runtime"],
      "how the process starts and stops does not depend on what it serves",
    ],
    [
      "app/db.server.ts",
      ["app/runtime/database", "app/generated/prisma"],
      "the door to the database names its parts and adds none",
    ],
    [
      "app/context.server.ts",
      [
        "app/integrations",
        "app/runtime",
        "app/db.server.ts",
        "app/domain/bus/channel.ts",
        "app/domain/tenants/banner/theme-footers.ts",
      ],
      "it builds the parts and has no rules; server.ts passes the list of channels and the footer's renderer",
    ],
  ];
  test.each(rules)("%s", (folder, allowed, why) => {
    expectNone(strays(folder, allowed), why);
  });

  test("routes do not access the database", () => {
    const reaching = ours.filter(
      ({ file, target }) =>
        below("app/routes")(file) && /runtime\/database\/|db\.server/.test(target),
    );
    expectNone(
      reaching.map(({ file, target }) => `${file} imports ${target}`),
      "a query in a route has no test of its own",
    );
  });

  const SUBJECTS = [
    "inventory",
    "vendors",
    "tenants",
    "mails",
    "bus",
    "tags",
    "consent",
    "customers",
    "identity",
    "agent-activity",
    "commerce",
    "agents",
    "compliance",
    "events",
    "flow",
    "channels",
    "storefront-check",
    "cookie-list",
    "scheduled-run",
    "merchant",
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

  test("only the demo store writes history", () => {
    const makers = files.filter((file) =>
      /\bhistoricTime\(|as HistoricTime/.test(readFileSync(join(root, file), "utf8")),
    );
    expectNone(
      makers.filter((file) => !below("app/demo", "app/runtime/historic-time.ts")(file)),
      "every other row has the time at which it was written",
    );
  });

  test("only tests and the process import the sandbox", () => {
    const knowing = ours
      .filter(({ file, target }) => below("app/sandbox")(target) && !below("app/sandbox")(file))
      .map(({ file }) => file);
    expectNone(
      knowing.filter((file) => !below("app/sandbox-systems.ts", "app/demo")(file)),
      "the service must behave the same with and without the sandbox",
    );
  });

  test("a deployed process never loads the sandbox", () => {
    const whole =
      /^(import|export) (?!type )[^;]* from "[^"]*(sandbox-systems|\/demo\/|\/sandbox\/)/ms;
    const loading = files.filter(
      (file) =>
        !below("app/sandbox", "app/demo", "app/sandbox-systems.ts", "app/demo-store.ts")(file) &&
        whole.test(readFileSync(join(root, file), "utf8")),
    );
    expectNone(loading, "only `await import` loads it, where the settings ask for it");
  });
});

describe("data access", () => {
  const uses = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(root, file), "utf8")));

  test("statements across tenants are only in the files that serve all tenants", () => {
    const serving = [
      "app/domain/bus/claims/claim.ts",
      "app/domain/bus/claims/leases.ts",
      "app/domain/bus/dead-letters/announce-dead-letters.ts",
      "app/domain/bus/dead-letters/archive-dead-letters.ts",
      "app/domain/bus/log/event-shop.ts",
      "app/domain/bus/log/queue-depth.ts",
      "app/domain/bus/missed-messages.ts",
      "app/domain/bus/settle.ts",
      "app/domain/customers/tag-matching/match-worker.ts",
      "app/domain/customers/webhooks/receive-webhook.ts",
      "app/domain/events/ingest.ts",
      "app/domain/tenants/directory.ts",
      "app/domain/tenants/moves/move-record.ts",
      "app/domain/tenants/moves/move-worker.ts",
      "app/domain/tenants/provision-region.ts",
      "app/domain/compliance/erasure/table-slices.ts",
      "app/domain/tenants/tenant-cache.ts",
      "app/http/auth/tenant-lookup.ts",
      "app/runtime/database/database.ts",
      "app/runtime/database/kv.ts",
      "app/runtime/database/queue/claim-in-turns.ts",
      "app/runtime/database/queue/leased-table.ts",
      "app/runtime/database/retention.ts",
    ];
    expectNone(
      uses(/\bacrossTenants\b/).filter((file) => !serving.includes(file)),
      "use forTenant(shop): a forgotten filter is then impossible. A file that must serve all tenants is listed here and reviewed",
    );
  });

  test("raw statements stand only in files that docs/decisions/031-what-stays-sql.md gives a reason", () => {
    const page = readFileSync(join(root, "docs/decisions/031-what-stays-sql.md"), "utf8");
    const listed = new Set(
      [...page.matchAll(/^\| `(app\/[^`]+)` \| \S/gm)].map(([, file]) => file),
    );
    // Called at once, or given to a statement that reads several things (read-together.ts).
    const raw = uses(
      /(?<!async )\b(sql|acrossTenants)[<(]|read-together\.ts"[^]*(?<![.(])\bsql[:,]/,
    ).filter((file) => !below("app/runtime/database/database.ts")(file));
    expectNone(
      raw.filter((file) => !listed.has(file)),
      "use the tenant's Prisma client, or add the file and its reason to the page",
    );
    expectNone(
      [...listed].filter((file) => !raw.includes(file as string)) as string[],
      "has no raw statement any more: take it off the page",
    );
  });

  test("Postgres connections and clients are created in runtime only, and named by app/db.server.ts", () => {
    const makers = imports
      .filter(
        ({ target }) =>
          target === "pg" || target.includes("generated/prisma") || target.startsWith("@prisma/"),
      )
      .map(({ file }) => file);
    expectNone(
      makers.filter((file) => !below("app/runtime", "app/db.server.ts")(file)),
      "a second way to the data bypasses the tenant filter",
    );
  });

  test("a store's archived objects are reached through the store's root only", () => {
    const openers = uses(/\b(openObjectStore|openMovableArchive|openBucket|openFolder)\(/);
    expectNone(
      openers.filter((file) => !below("app/integrations", "app/context.server.ts")(file)),
      "use ctx.archive.ofStore(shop): a path without its store is an object that two stores share",
    );
  });

  test("outside calls go through runtime/outbound only", () => {
    const callers = uses(/(?<![.\w])fetch\(|from "undici"|from "node:https"/).filter(
      (file) =>
        !below(
          "app/sandbox",
          "app/components",
          "app/embeds/scripts",
          "app/embeds/shopper",
          "app/demo-store.ts",
          "app/demo",
          "app/runtime/outbound",
        )(file),
    );
    expectNone(callers, "any other call has no address guard, no timeout and no log line");
  });
});

test("deferred data is awaited in components/frame/deferred-card.tsx only", () => {
  const waiting = files
    .filter(below("app/components", "app/routes"))
    .filter((file) => /<Suspense|<Await\b|\blazy\(/.test(readFileSync(join(root, file), "utf8")));
  expectNone(
    waiting.filter((file) => file !== "app/components/frame/deferred-card.tsx"),
    "React discards a server-rendered Suspense boundary, with an error, when anything around it changes before hydration",
  );
});
