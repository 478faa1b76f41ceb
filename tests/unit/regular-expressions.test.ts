// A backtracking pattern can stop the process with one request: every regular expression of the
// service is proved linear, or listed below with what bounds its input.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { check } from "recheck";
import ts from "typescript";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["app", "extensions"];

/** `file pattern`: why it is allowed without a proof, above all what bounds its input. */
const ALLOWED: Record<string, string> = {
  "app/components/i18n/format-number.ts /\\B(?=(\\d{3})+(?!\\d))/g": "the digits of one number",
  "app/domain/commerce/mandates.ts /^0+(?=\\d)/": "an amount of at most 15 characters",
  "app/domain/identity/oidc/journey.ts /^\\/(?![/\\\\])[^\\\\\\u0000-\\u001f]*$/":
    "anchored, and the lookahead reads one character",
  "app/domain/identity/oidc/providers.ts /\\/+$/":
    "a setting that the operator or the store saved, of a length that saving limits",
  "app/http/shopper/embed-response.ts /(?:^|[\\s,])gzip(?!;\\s*q=0(?:\\.0+)?(?:,|$))/i":
    "a request header: Node takes at most 16 KiB of them",
  "app/runtime/database/storable-json.ts /(?<!\\\\)(?:\\\\\\\\)*\\\\u0000/":
    "the lookbehind lets an attempt begin at the first backslash of a run only; timed in hostile-bodies.test.ts",
  "app/runtime/database/storable-json.ts /(?<!\\\\)((?:\\\\\\\\)*)\\\\u0000/g":
    "the lookbehind lets an attempt begin at the first backslash of a run only; timed in hostile-bodies.test.ts",
  "app/runtime/database/storable-json.ts /(?<!\\\\)((?:\\\\\\\\)*)\\\\ud[89a-f][0-9a-f]{2}/g":
    "the lookbehind lets an attempt begin at the first backslash of a run only; timed in hostile-bodies.test.ts",
  "app/runtime/database/tenant/tenant-sql.ts /^\\s*(?:with\\b[\\s\\S]*?\\)\\s*)?insert\\s+into\\s+\\w+\\s*(?:as\\s+\\w+\\s*)?\\(\\s*shop\\b[^)]*\\)\\s*(?:values\\s*\\(|select\\b)\\s*\\$1(?!\\d)/i":
    "statements of this tree, each looked at once",
  'app/runtime/outbound/hide-credentials.ts /([\\w.$:[\\]-]{1,80})=("?)([^&\\s"\'<>\\\\]*)/g':
    "80 characters before each =, in the first 8,192 characters of one call",
  "app/runtime/outbound/hide-credentials.ts /<([^<>\\s/]{1,80})([^<>]{0,200})>([^<]+)/g":
    "280 characters behind each <, in the first 8,192 characters of one call",
  "app/runtime/log.ts /[\\p{L}\\p{N}._%+-]{1,64}(?:@|%40)(?:[\\p{L}\\p{N}-]{1,63}\\.){1,8}\\p{L}{2,}/gu":
    "64 characters before each @, in a text that the log has cut to 20,000 characters",
  "app/sandbox/systems/erp.ts /<\\?[\\s\\S]*?\\?>|<!--[\\s\\S]*?-->|<!\\[CDATA\\[[\\s\\S]*?\\]\\]>/g":
    "documents that this service built, in the sandbox",
  "app/sandbox/systems/erp.ts /[<>]|&(?!(amp|lt|gt|quot|apos|#\\d+|#x[0-9a-fA-F]+);)/":
    "documents that this service built, in the sandbox",
};

/** `file`: why a pattern is built at run time there. */
const MADE_AT_RUN_TIME: Record<string, string> = {
  "app/domain/compliance/erasure/erase-outside.ts":
    "one person's escaped addresses and ids, without repetitions",
  "app/domain/vendors/held-addresses.ts":
    "from addresses: those of the list of vendors, and of a page those that the check has found to be hosts and paths",
  "app/embeds/scripts/outbox.ts": "from two texts of that file, over the browser's own cookies",
  "app/http/address-guard.ts":
    "from constants of that file; what may come before a name, a name and what may come after it begin with different signs",
  "extensions/consent-footer/assets/crm-loader.js": "outbox.ts, bundled",
};

type Found = { at: string; source: string; flags: string };

function readFolder(folder: string): { literals: Found[]; made: string[] } {
  const literals: Found[] = [];
  const made: string[] = [];
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|tsx|js)$/.test(file) && !file.startsWith("generated"))
    .map((file) => `${folder}/${file}`);
  for (const file of files.sort()) {
    const parsed = ts.createSourceFile(
      file,
      readFileSync(join(root, file), "utf8"),
      ts.ScriptTarget.Latest,
    );
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node)) {
        const end = node.text.lastIndexOf("/");
        literals.push({
          at: `${file} ${node.text}`,
          source: node.text.slice(1, end),
          flags: node.text.slice(end + 1),
        });
      }
      if (
        (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
        ts.isIdentifier(node.expression) &&
        node.expression.text === "RegExp"
      )
        made.push(file);
      ts.forEachChild(node, visit);
    };
    visit(parsed);
  }
  return { literals, made };
}

const found = FOLDERS.map(readFolder);
const literals = found.flatMap((folder) => folder.literals);

/** Without `*`, `+` and `{` a pattern reads a fixed number of characters. */
const canRepeat = ({ source }: Found) => /[*+{]/.test(source.replaceAll(/\\[pP]\{/g, ""));

/**
 * A large limit counts as none: a pattern that is linear without it is linear with it, and the
 * proof does not have to count.
 */
const withoutLimits = (source: string) =>
  source
    .replaceAll(/\{0,\d{2,}\}/g, "*")
    .replaceAll(/\{\d+,\d{2,}\}/g, "+")
    .replaceAll(/\{\d{2,}\}/g, "+");

async function findProblem({ source, flags }: Found): Promise<string | null> {
  const verdict = await check(withoutLimits(source), flags, { timeout: 60_000 });
  if (verdict.status === "vulnerable") return `it is ${verdict.complexity.summary}`;
  if (verdict.status === "unknown") return `the checker gave up: ${verdict.error.kind}`;
  // The checker's fuzzing (of lookarounds and back references) is no proof.
  return verdict.checker === "automaton" ? null : "it cannot be proved to be linear";
}

test("the patterns are found in the source", () => {
  expect(literals.length).toBeGreaterThan(250);
  expect(literals.some(({ at }) => at.startsWith("extensions/"))).toBe(true);
});

test("a pattern that is not linear is detected", async () => {
  const eMail = { at: "", source: String.raw`[^\s@]+@[^\s@]+\.[a-z]{2,}`, flags: "i" };
  expect(await findProblem(eMail)).toMatch(/2nd degree/);
  expect(await findProblem({ ...eMail, source: "(a|a)*b" })).toMatch(/exponential/);
  expect(await findProblem({ ...eMail, source: "[a-z]{1,64}@" })).toMatch(/2nd degree/);
  expect(await findProblem({ ...eMail, source: "^[a-z]{1,64}@" })).toBeNull();
}, 60_000);

test("every regular expression is linear, or its input is bounded", async () => {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const literal of literals) {
    const key = `/${literal.source}/${literal.flags}`;
    if (literal.at in ALLOWED || !canRepeat(literal) || seen.has(key)) continue;
    seen.add(key);
    const problem = await findProblem(literal);
    if (problem)
      problems.push(
        `${literal.at}: ${problem}. Rewrite it or scan by hand; when the text is short for every sender, list it here with what bounds it`,
      );
  }
  expect(problems).toEqual([]);
}, 300_000);

test("patterns are literals, so that they can be checked", () => {
  const made = new Set(found.flatMap((folder) => folder.made));
  expect([...made].filter((file) => !(file in MADE_AT_RUN_TIME))).toEqual([]);
});

test("every exception still has its pattern", () => {
  const standing = new Set(literals.map(({ at }) => at));
  expect(Object.keys(ALLOWED).filter((at) => !standing.has(at))).toEqual([]);
  const made = found.flatMap((folder) => folder.made);
  expect(Object.keys(MADE_AT_RUN_TIME).filter((file) => !made.includes(file))).toEqual([]);
});
