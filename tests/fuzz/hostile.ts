// Hostile values, and values that match a schema.
import type { Chance } from "./random.ts";

export type Schema = {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minimum?: number;
  format?: string;
  [name: string]: unknown;
};

const LONG = "a".repeat(70_000);

/**
 * Texts: too long, in other scripts, in other languages (SQL, HTML, templates, shells), in other
 * encodings.
 */
const TEXTS = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202eabc",
  "\uffff",
  "🧭".repeat(300),
  "ß".repeat(4_000),
  LONG,
  `${"a".repeat(50_000)}@`,
  `${"@".repeat(20_000)}.com`,
  "a@a.".repeat(8_000),
  " ".repeat(30_000),
  "'; DROP TABLE storefront_users; --",
  "' OR '1'='1",
  "$1",
  "%",
  "_%_",
  "\\",
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "{{7*7}}${7*7}",
  "../../../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "javascript:alert(1)",
  "//evil.example",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]:5432/",
  "file:///etc/passwd",
  "gid://shopify/Customer/9223372036854775808",
  "gid://shopify/Customer/../1",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "NaN",
  "true",
  "-1",
  "0x10",
  "1e400",
  "9223372036854775808",
  "2026-02-30T25:61:61Z",
  "0000-00-00",
  "+275760-09-13T00:00:00.001Z",
  "00000000-0000-0000-0000-000000000000",
  "Content-Length: 0\r\n\r\nGET / HTTP/1.1",
  "ada@example.com\r\nBcc: eve@example.com",
  "(".repeat(5_000),
  "/".repeat(5_000),
  "=".repeat(5_000),
] as const;

const NUMBERS = [
  0,
  -0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  1e-320,
] as const;

const deep = (depth: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < depth; n += 1) value = n % 2 ? [value] : { a: value };
  return value;
};

/** Many small parts: a check that compares each with each other one, or reports each, takes seconds. */
export const wideValue = (chance: Chance): unknown =>
  chance.once(2)
    ? Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`f${n}`, 1]))
    : Array.from({ length: 200_000 }, () => ({}));

export function hostileText(chance: Chance): string {
  return chance.pick(TEXTS);
}

export function hostileValue(chance: Chance): unknown {
  switch (chance.below(9)) {
    case 0:
      return chance.pick(NUMBERS);
    case 1:
      return chance.pick([null, true, false, [], {}]);
    case 2:
      return Array.from({ length: 1 + chance.below(300) }, () => chance.pick(TEXTS).slice(0, 40));
    case 3:
      return JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}}}');
    case 4:
      return deep(chance.pick([3, 40, 1_500]));
    case 5:
      // Seldom: such a body is half a megabyte.
      return chance.once(6) ? wideValue(chance) : {};
    default:
      return hostileText(chance);
  }
}

const GOOD_TEXT: Record<string, (chance: Chance) => string> = {
  email: (chance) => `fuzz-${chance.below(1e6)}@example.com`,
  password: () => "correct horse battery",
  shop: () => "test-store.myshopify.com",
  url: () => "https://example.com/path",
  "date-time": () => "2026-11-20T10:00:00Z",
  date: () => "2026-11-20",
  uuid: () => "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
};

/** A value that matches the schema; `name` gives a hint for a plain string. */
export function goodValue(schema: Schema, chance: Chance, name = "", depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return chance.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return goodValue(chance.pick(choices), chance, name, depth);
  if (schema.allOf) return goodValue(schema.allOf[0] ?? {}, chance, name, depth);
  const type = Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type;
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(() => depth < 4 && !chance.once(4))
          .map(([key, value]) => [key, goodValue(value, chance, key, depth + 1)]),
      );
    case "array":
      return Array.from({ length: chance.below(3) }, () =>
        goodValue(schema.items ?? {}, chance, name, depth + 1),
      );
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 0, chance.below(50));
    case "boolean":
      return chance.once(2);
    case "null":
      return null;
    default:
      break;
  }
  const kind = Object.keys(GOOD_TEXT).find((one) => (schema.format ?? name).includes(one));
  return kind
    ? (GOOD_TEXT[kind] as (chance: Chance) => string)(chance)
    : `text-${chance.below(99)}`;
}

/** The value with one part replaced by what `make` gives, at any depth. */
export function spoil(value: unknown, chance: Chance, make = hostileValue): unknown {
  if (Array.isArray(value) && value.length > 0 && !chance.once(3)) {
    const at = chance.below(value.length);
    return value.map((one, index) => (index === at ? spoil(one, chance, make) : one));
  }
  if (value !== null && typeof value === "object" && !Array.isArray(value) && !chance.once(6)) {
    const entries = Object.entries(value);
    if (entries.length > 0) {
      const [key, inner] = chance.pick(entries);
      return { ...value, [key]: spoil(inner, chance, make) };
    }
  }
  return make(chance);
}
