// The texts that people read: the three languages say the same things, and nothing is left over.
import { LANGUAGES } from "../../app/locales/languages.ts";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createI18n } from "../../app/components/i18n/create-i18n.ts";
import { translationsOf } from "../../app/components/i18n/translations.server.ts";
import { MAIL_TEMPLATES } from "../../app/domain/mails/mail-texts.ts";
import { PLATFORM_FIELDS } from "../../app/domain/tenants/settings/platform-config.ts";
import { TENANT_FIELDS } from "../../app/domain/tenants/tenant-config.ts";

const app = resolve(import.meta.dirname, "../../app");
const PLURAL = /_(zero|one|two|few|many|other)$/;

type Texts = { [key: string]: string | Texts };
/** Below a language's folder. A screen's namespace is the last part. */
const files = readdirSync(join(app, "locales/en"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".json"))
  .map((path) => path.replace(".json", ""));
/** Without i18next: their texts are read as properties. */
const isPlain = (file: string): boolean => file.startsWith("embeds/") || file === "mails";
const read = (language: string, file: string): Texts =>
  JSON.parse(readFileSync(join(app, "locales", language, `${file}.json`), "utf8")) as Texts;

function flatten(texts: Texts, path = ""): [key: string, text: string][] {
  return Object.entries(texts).flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[path + name, value]] : flatten(value, `${path}${name}.`),
  );
}
const textsOf = (language: string, file: string) => new Map(flatten(read(language, file)));

/**
 * Without the plural form: languages have different ones. English labels of fields come with the
 * fields.
 */
const keysOf = (language: string, file: string): string[] =>
  [...textsOf(language, file).keys()]
    .filter((key) => !(file === "settings" && /^fields\.\w+\.label$/.test(key)))
    .map((key) => key.replace(PLURAL, ""))
    .toSorted()
    .filter((key, at, all) => key !== all[at - 1]);

/** `reason` is a sentence of the server in English, which a translation may leave out. */
const placeholders = (text: string): string[] =>
  [...new Set(text.match(/\{+(?!reason)\w+\}+/g) ?? [])].toSorted();

describe.each(files)("%s", (file) => {
  test("has the same keys in every language", () => {
    for (const language of LANGUAGES)
      expect([language, keysOf(language, file)]).toEqual([language, keysOf("en", file)]);
  });

  test("has the same placeholders in every language", () => {
    const english = textsOf("en", file);
    for (const language of LANGUAGES)
      for (const [key, text] of textsOf(language, file)) {
        const original = english.get(key) ?? english.get(key.replace(PLURAL, "_other"));
        if (original !== undefined)
          expect([language, key, placeholders(text)]).toEqual([
            language,
            key,
            placeholders(original),
          ]);
      }
  });

  test("has no empty text", () => {
    for (const language of LANGUAGES)
      expect([...textsOf(language, file)].filter(([, text]) => text.trim() === "")).toEqual([]);
  });
});

test.each(files.filter((file) => !isPlain(file)))(
  "%s has every plural form that its languages need",
  (file) => {
    for (const language of LANGUAGES) {
      const keys = [...textsOf(language, file).keys()];
      const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const key of keys.filter((one) => one.endsWith("_other")))
        for (const form of needed)
          expect([language, keys]).toEqual([
            language,
            expect.arrayContaining([key.replace(/other$/, form)]),
          ]);
    }
  },
);

test("a count of one is in the singular in every language", async () => {
  const textsOfOne = async (language: (typeof LANGUAGES)[number]) => {
    const { t } = await createI18n(language, translationsOf(language));
    const counted = { count: 1, of: 5, left: "1" };
    return [
      t("setup-guide:progress", counted),
      t("privacy:progress", counted),
      t("events:replay.partly", counted),
    ];
  };
  expect(await Promise.all(LANGUAGES.map(textsOfOne))).toEqual([
    ["1 of 5 steps done", "1 of 5 steps done", "1 was no longer in this list."],
    ["1 de 5 pasos hecho", "1 de 5 pasos hecho", "1 ya no estaba aquí."],
    ["1 étape sur 5 terminée", "1 étape sur 5 terminée", "1 n'attendait plus ici."],
  ]);
});

test("percentage points are counted as each language counts: 1 point, and 0.2 points except in French", async () => {
  const pointsOf = async (language: (typeof LANGUAGES)[number]) => {
    const { t } = await createI18n(language, translationsOf(language));
    return [1, 0.2, 2].map((count) => {
      const counted = { count, points: count, by: count, days: 30 };
      const texts = ["consent:optIn", "insights:trend", "home:trend"].flatMap((of) =>
        ["up", "down"].map((direction) => t(`${of}.${direction}` as "home:trend.up", counted)),
      );
      return [
        ...new Set(texts.map((text) => /\w+(?= (?:more|less|from|más|menos|de))/.exec(text)?.[0])),
      ];
    });
  };
  expect(await Promise.all(LANGUAGES.map(pointsOf))).toEqual([
    [["point"], ["points"], ["points"]],
    [["punto"], ["puntos"], ["puntos"]],
    [["point"], ["point"], ["points"]],
  ]);
});

test("a customer's timeline names every mail that the queue sends", () => {
  const mails = [...textsOf("en", "events/deliveries").keys()].filter((key) =>
    key.startsWith("eventTypes.mail."),
  );
  expect(mails).toEqual(MAIL_TEMPLATES.map((name) => `eventTypes.mail.${name}`));
});

test("English texts and the labels of settings are spelled as the store admin's: American", () => {
  const BRITISH =
    /\w*(colour|behaviour|favour|honour|labour|neighbour|catalogue|centre|fulfil\b|grey\b|licence|cancelled|travell|(?:custom|organ|recogn|author|anonym|summar|categor|synchron|personal|optim|minim|normal)is(?:e|ing|ation))\w*/i;
  const labels = Object.values({ ...PLATFORM_FIELDS, ...TENANT_FIELDS }).map(({ label }) => label);
  const texts = files.flatMap((file) =>
    [...textsOf("en", file).values()].map((text) => text.replaceAll(/\{+\w+\}+/g, "")),
  );
  expect([...labels, ...texts].filter((text) => BRITISH.test(text))).toEqual([]);
});

test("a screen's texts are found by the name of their file, whatever folder it stands in", () => {
  const names = files.filter((file) => !isPlain(file)).map((file) => basename(file));
  for (const language of LANGUAGES)
    expect([language, Object.keys(translationsOf(language)).toSorted()]).toEqual([
      language,
      names.toSorted(),
    ]);
});

const sources = readdirSync(app, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => join(entry.parentPath, entry.name))
  .filter((file) => !file.includes("/generated/"))
  .map((file) => readFileSync(file, "utf8"));

/**
 * The keys that the code names, as patterns: `${x}` stands for anything, and an object for all that
 * is in it.
 */
const named = sources.flatMap((text) =>
  [
    ...text.matchAll(/["`](?:[\w-]+:)?((?:[\w-]+|\$\{[^}]*\})(?:\.(?:[\w-]+|\$\{[^}]*\}))*)["`]/g),
  ].map(([, key = ""]) => key),
);
const patterns = [...new Set(named)];
const exact = new Set(patterns.filter((key) => !key.includes("${")));
const open = patterns
  .filter((key) => key.includes("${") && key.replaceAll(/\$\{[^}]*\}/g, "").length > 1)
  .map((key) => new RegExp(`^${key.replaceAll(".", "\\.").replaceAll(/\$\{[^}]*\}/g, "[^.]+")}$`));

test("every English text is used", () => {
  const unused = files
    .filter((file) => file !== "errors" && !isPlain(file))
    .flatMap((file) =>
      keysOf("en", file)
        .filter((key) => {
          const parts = key.split(".");
          return (
            !parts.some((_, at) => exact.has(parts.slice(0, at + 1).join("."))) &&
            !open.some((pattern) => pattern.test(key))
          );
        })
        .map((key) => `${basename(file)}:${key}`),
    );
  // errors.json is looked up by the code of the answer (components/hooks/use-screen-action.ts).
  expect(unused).toEqual([]);
});

test("every English text of the embeds and mails is used", () => {
  const code = sources.join("\n");
  const prefixes = new Set([...code.matchAll(/`(\w+_)\$\{/g)].map(([, prefix]) => prefix));
  const isUsed = (name: string): boolean =>
    [...prefixes].some((prefix) => prefix && name.startsWith(prefix)) ||
    new RegExp(`\\b${name}\\b`).test(code);
  const unused = files.filter(isPlain).flatMap((file) =>
    Object.keys(read("en", file))
      .filter((name) => !isUsed(name))
      .map((name) => `${file}:${name}`),
  );
  expect(unused).toEqual([]);
});

test("French texts have a no-break space before high punctuation, one kind of apostrophe, and one name for a tag", () => {
  const french = ["app/locales/fr", "app/locales/storefront", "extensions"].flatMap((folder) =>
    readdirSync(join(app, "..", folder), { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, file))
      .filter((file) => /\/fr\b.*\.json$/.test(file)),
  );
  expect(french.length).toBeGreaterThan(25);
  const wrong = french.flatMap((file) =>
    readFileSync(join(app, "..", file), "utf8")
      .split("\n")
      .filter((line) => /\S [:;?!»]|« |’|étiquette/i.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(wrong).toEqual([]);
});

test("Spanish texts speak to their reader as tú everywhere", () => {
  const FORMAL =
    /(?:^|[.:;] )(?:Abra|Busque|Compruebe|Confirme|Elija|Escriba|Guarde|Haga|Pegue|Permita|Ponga|Pulse|Revise|Vuelva)\b|\busted/;
  const formal = files.flatMap((file) =>
    [...textsOf("es", file)]
      .filter(([, text]) => FORMAL.test(text))
      .map(([key, text]) => `${file}:${key}: ${text}`),
  );
  expect(formal).toEqual([]);
});
