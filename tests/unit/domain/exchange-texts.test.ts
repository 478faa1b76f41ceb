// What is shown of an exchange: values masked until somebody asks, and a command that a shell reads
// as it was written.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { prettyJson } from "../../../app/components/events/event/pretty-json.ts";
import { toCurl } from "../../../app/components/events/event/curl.ts";
import { answerMessage } from "../../../app/domain/bus/exchanges/answer-message.ts";
import { maskText } from "../../../app/domain/bus/exchanges/mask-personal.ts";
import { hideInText, hideInUrl } from "../../../app/runtime/outbound/hide-credentials.ts";

test("values of a body are masked, also where the body was cut; its form and harmless codes stay", () => {
  expect(maskText('{"email":"ada@example.com","n":[1,"Ada"],"currency":"EUR","ok":false}')).toBe(
    '{"email":"•••","n":[•••,"•••"],"currency":"EUR","ok":false}',
  );
  expect(maskText('{"a":{"name":"Ada \\"L\\" Lovela')).toBe('{"a":{"name":"•••"');
  expect(maskText('{"ada@example.com":"x","Ada Lovelace":1}')).toBe('{"•••":"•••","•••":•••}');
  expect(maskText('{"code":"ada@example.com","code":"E42"}')).toBe('{"code":"•••","code":"E42"}');
  expect(maskText('<A id="7"><Name>Ada</Name>\n</A>')).toBe('<A id="•••"><Name>•••</Name>\n</A>');
  expect(maskText("name;Ada Lovelace")).toBe("•••");
  expect(maskText("")).toBe("");
});

test("secrets in texts and addresses are hidden by their names, and by their values", () => {
  expect(hideInText('{"api_key":"k1","a":{"Token" : 42,"name":"Ada"}}', [])).toBe(
    '{"api_key":"<hidden>","a":{"Token" : "<hidden>","name":"Ada"}}',
  );
  expect(hideInText("grant=x&client_secret=abc&code=9&user=ada", [])).toBe(
    "grant=x&client_secret=<hidden>&code=<hidden>&user=ada",
  );
  expect(hideInText("<Password>abc</Password><Name>Ada</Name>", [])).toBe(
    "<Password><hidden></Password><Name>Ada</Name>",
  );
  expect(hideInText("you sent s3cr3t-value", ["s3cr3t-value"])).toBe("you sent <hidden>");
  expect(hideInUrl("https://user:pass@erp.example/a/ada@example.com?sap-client=100&x=1")).toBe(
    "https://erp.example/a/<hidden>?sap-client=100&x=<hidden>",
  );
  expect(hideInUrl("https://hooks.example/services/T0AbCdEf1GhIjKlMn2Op/in")).toBe(
    "https://hooks.example/services/<hidden>/in",
  );
  // Every scan ends, also on what was made to be slow.
  const started = performance.now();
  for (const hostile of ['"\\"'.repeat(2_700), "a".repeat(8_192), "<".repeat(8_192)])
    maskText(`{${hideInText(hostile, [])}`);
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("a shell reads the copied command as written, whatever the stored request contains", () => {
  const hostile = 'it\'s $(touch x) `id` "q" \\ !x\nnext @file';
  const command = toCurl({
    method: "POST",
    url: "https://erp.example/a?b={1,2}&c=[1]'$(id)",
    headers: [
      ["Content-Type", "text/plain"],
      ["X-Odd", "a'b\r\nInjected: 1"],
    ],
    body: { text: hostile, bytes: 1, isCut: false },
  });
  const read = execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: "utf8",
  });
  expect(read.split("\0").slice(0, -1)).toEqual([
    "--globoff",
    "--request",
    "POST",
    "--url",
    "https://erp.example/a?b={1,2}&c=[1]'$(id)",
    "--header",
    "Content-Type: text/plain",
    "--header",
    "X-Odd: a'b Injected: 1",
    "--data-raw",
    hostile,
  ]);
});

test("a JSON body gets line breaks and keeps every sign, also where it was cut", () => {
  expect(prettyJson('{"id":9007199254740993,"a":[],"b":[1,{"c":"x, {y}"}],"d":{}}')).toBe(
    '{\n  "id": 9007199254740993,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": "x, {y}"\n    }\n  ],\n  "d": {}\n}',
  );
  expect(prettyJson('{"a":"cut he')).toBe('{\n  "a": "cut he');
  expect(prettyJson("not json, {")).toBe("not json, {");
});

test("the message of a rejection is found in the usual places", () => {
  expect(answerMessage('{"error":{"code":"X","message":{"lang":"en","value":"No area"}}}')).toBe(
    "No area",
  );
  expect(answerMessage('{"errors":[{"detail":"Bad email"}]}')).toBe("Bad email");
  expect(answerMessage('{"a":1}')).toBeNull();
  expect(answerMessage("<html>")).toBeNull();
});
