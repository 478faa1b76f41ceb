// The inventory of what is stored: complete, and true of the schema.
import { LANGUAGES } from "../../../app/locales/languages.ts";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { channels } from "../../../app/domain/channels/index.ts";
import { ACCOUNT_FIELDS } from "../../../app/domain/inventory/account-fields.ts";
import { privacyTexts } from "../../../app/embeds/texts.ts";
import { dataSet, dataSetNames } from "../../../app/domain/inventory/data-sets.ts";
import {
  daysOf,
  DEFAULT_RETENTION,
  RETENTION_SETTINGS,
  retentionSettingNames,
} from "../../../app/domain/inventory/retention-settings.ts";
import { REGION_RULES, STORE_RULES } from "../../../app/domain/inventory/row-rules.ts";

const root = resolve(import.meta.dirname, "../../..");
const schema = readFileSync(join(root, "prisma/schema.prisma"), "utf8");

/** The models of the schema: table, and its columns' lines. */
const models = [...schema.matchAll(/^model \w+ \{\n([\s\S]*?)^\}/gm)].map(([, body = ""]) => ({
  table: /@@map\("(\w+)"\)/.exec(body)?.[1] as string,
  columns: new Map(
    [...body.matchAll(/^ {2}(\w+) +(\S.*)$/gm)].map(([, name, type]) => [name, type as string]),
  ),
  indexes: [...body.matchAll(/@@index\((.*)\)/g)].map(([, index]) => index as string),
}));
const tables = dataSetNames.flatMap((name) => Object.keys(dataSet(name).tables));

describe("the inventory", () => {
  it("lists every table of the schema once: a new table needs its entry in inventory/data-sets.ts", () => {
    expect(models.length).toBeGreaterThan(25);
    expect(tables.toSorted()).toEqual(models.map(({ table }) => table).toSorted());
  });

  it("says of every table and object what ends it", () => {
    for (const name of dataSetNames) {
      const { tables: stored, objects = [] } = dataSet(name);
      for (const [table, { rules = [], end }] of Object.entries(stored))
        expect([table, rules.length > 0 || end !== null]).toEqual([table, true]);
      for (const { path, rule, end } of objects)
        expect([path, rule !== undefined || end !== null]).toEqual([path, true]);
    }
  });

  it("deletes by columns that the table has, and by a sweep that its keys make cheap", () => {
    for (const { table, column, sweep } of [...REGION_RULES, ...STORE_RULES]) {
      const model = models.find((one) => one.table === table);
      for (const name of column.match(/\w+_at|minute/g) ?? [])
        expect([table, name, model?.columns.has(name)]).toEqual([table, name, true]);
      if (sweep === "region")
        expect([table, model?.indexes.join()]).toEqual([
          table,
          expect.stringContaining(`[${column}], type: Brin`),
        ]);
      if (sweep === "id")
        expect([table, model?.columns.get("id")]).toEqual([
          table,
          expect.stringMatching(/autoincrement/),
        ]);
    }
  });

  it("deletes nothing of the append-only tables", () => {
    const swept = [...REGION_RULES, ...STORE_RULES].map(({ table }) => table);
    expect(swept).not.toContain("consent_records");
    expect(swept).not.toContain("event_ledger");
  });
});

describe("the fields of an account", () => {
  it("are the columns of its table, each with one purpose: a new column needs its entry in inventory/account-fields.ts", () => {
    const account = models.find(({ table }) => table === "storefront_users");
    const columns = [...(account?.columns ?? [])]
      .filter(([name, type]) => name !== "shop" && !/^(User\w+|IdentityLink)\b/.test(type))
      .map(([name]) => name as string);
    expect(columns.length).toBeGreaterThan(20);
    expect(ACCOUNT_FIELDS.flatMap((field) => field.columns).toSorted()).toEqual(columns.toSorted());
  });
});

describe("the texts of the privacy page", () => {
  const texts = privacyTexts("en");
  const entries = dataSetNames.flatMap((name) => {
    const { tables: stored, objects = [] } = dataSet(name);
    return [...Object.values(stored), ...objects];
  });

  it("name each set of data, each period, each end and each recipient, and nothing else", () => {
    expect(Object.keys(texts.sets)).toEqual(dataSetNames);
    const aged = [
      ...[...REGION_RULES, ...STORE_RULES].map(({ rows }) => rows),
      ...entries.flatMap((entry) => ("rule" in entry && entry.rule ? [entry.rule.objects] : [])),
    ];
    expect(Object.keys(texts.rows).toSorted()).toEqual([...new Set(aged)].toSorted());
    const ends = entries.flatMap(({ end }) => end ?? []);
    expect(Object.keys(texts.ends).toSorted()).toEqual([...new Set(ends)].toSorted());
    expect(Object.keys(texts.recipients).toSorted()).toEqual(
      channels.map(({ name }) => name).toSorted(),
    );
  });
});

describe("the retention settings", () => {
  it("have a default within their range", () => {
    for (const name of retentionSettingNames) {
      const { days, min, max } = RETENTION_SETTINGS[name];
      expect([name, min <= days && days <= max]).toEqual([name, true]);
    }
  });

  it("say their range in every language", () => {
    for (const language of LANGUAGES) {
      const { fields } = JSON.parse(
        readFileSync(join(root, `app/locales/${language}/settings.json`), "utf8"),
      ) as { fields: Record<string, { help: string }> };
      for (const name of retentionSettingNames) {
        const { min, max } = RETENTION_SETTINGS[name];
        expect([language, name, fields[name]?.help.match(/\d+/g)]).toEqual([
          language,
          name,
          [String(min), String(max)],
        ]);
      }
    }
  });

  it("give the days of a rule that names a setting, and a rule with a number of days keeps it", () => {
    expect(
      daysOf("archive_retention_days", { ...DEFAULT_RETENTION, archive_retention_days: 90 }),
    ).toBe(90);
    expect(daysOf(400, DEFAULT_RETENTION)).toBe(400);
  });
});
