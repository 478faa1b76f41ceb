// Array parameters in Postgres's own format, checked element by element on a real server.
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import {
  jsonbArray,
  smallintArray,
  textArray,
} from "../../app/runtime/database/array-parameters.ts";

let client: pg.Client;
beforeAll(async () => {
  client = new pg.Client({ connectionString: inject("databaseServer").url });
  await client.connect();
});
afterAll(() => client.end());

const read = async (type: string, array: Buffer) =>
  (
    await client.query({
      text: `SELECT value FROM unnest($1::${type}[]) WITH ORDINALITY AS u(value, n) ORDER BY n`,
      values: [array],
    })
  ).rows.map(({ value }) => value);

test("texts keep quotes, braces, backslashes, line ends, other scripts, NULL beside 'NULL', and the empty string", async () => {
  const texts = [
    "",
    "a",
    `"{},\\'`,
    "NULL",
    null,
    "two\nlines\t\r",
    "Ünïcödé 漢字 🙂",
    "x".repeat(100_000),
    null,
  ];
  expect(await read("text", textArray(texts))).toEqual(texts);
});

test("an unpaired surrogate becomes the replacement character, as in every text that is sent", async () => {
  expect(await read("text", textArray(["a\ud83d"]))).toEqual(["a\ufffd"]);
});

test("JSON documents keep their values, and JSON null is not NULL", async () => {
  const documents = [{ a: `"\\{}`, b: [1, null, "é"] }, "text", 12.5, [], null];
  expect(
    await read("jsonb", jsonbArray(documents.map((document) => JSON.stringify(document)))),
  ).toEqual(documents);
  expect(
    (
      await client.query({
        text: "SELECT u.value IS NULL AS missing FROM unnest($1::jsonb[]) AS u(value)",
        values: [jsonbArray(["null", null])],
      })
    ).rows,
  ).toEqual([{ missing: false }, { missing: true }]);
});

test("small integers of both signs, up to the ends of their range", async () => {
  expect(await read("smallint", smallintArray([0, 1, -1, 32_767, -32_768]))).toEqual([
    0, 1, -1, 32_767, -32_768,
  ]);
});

test.each([
  ["text", textArray([])],
  ["jsonb", jsonbArray([])],
  ["smallint", smallintArray([])],
] as const)("an empty array of %s is empty", async (type, array) => {
  expect(await read(type, array)).toEqual([]);
});

test.each([
  ["a NUL in a text", "text", textArray(["a\u0000"]), "22021"],
  ["what is no JSON", "jsonb", jsonbArray(["{"]), "22P02"],
  ["an escaped NUL in JSON", "jsonb", jsonbArray(['"\\u0000"']), "22P05"],
  ["half a character in JSON", "jsonb", jsonbArray(['"\\ud83d"']), "22P02"],
] as const)("%s is rejected as that row's fault", async (_what, type, array, code) => {
  await expect(read(type, array)).rejects.toMatchObject({ code });
});
