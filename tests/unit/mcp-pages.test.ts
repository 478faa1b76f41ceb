import { expect, it } from "vitest";
import { pageOf } from "../../app/http/agents/mcp-server.ts";

const entries = ["a", "b", "c", "d", "e"].map((name) => ({ name }));

it("a list is read page by page, and the last page has no cursor", () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { page, nextCursor } = pageOf(entries, cursor, 2);
    seen.push(page.map(({ name }) => name).join(""));
    cursor = nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(["ab", "cd", "e"]);
  expect(pageOf(entries, undefined, 5)).toEqual({ page: entries });
  expect(pageOf([], undefined)).toEqual({ page: [] });
});

it("a cursor of no entry is rejected", () => {
  expect(() => pageOf(entries, "", 2)).toThrow("cursor");
  expect(() => pageOf(entries, Buffer.from("z").toString("base64url"), 2)).toThrow("cursor");
});
