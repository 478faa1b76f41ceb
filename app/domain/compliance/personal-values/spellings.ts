// Regular expressions that find a text in every form in which programs write it: in the normal forms of
// Unicode, with the escapes of JSON, and percent-encoded. For PostgreSQL and JavaScript, case-insensitive. Letters
// outside ASCII stand in both cases, because a database with the locale C does not know them.
const escapeRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

const isPlain = (sign: string): boolean => /^[a-z0-9]$/i.test(sign);

const jsonEscaped = (text: string): string =>
  text.replace(/[^a-z0-9]/gi, (sign) => `\\\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Every sign, as strict encoders write it: `encodeURIComponent` leaves an apostrophe as it is. */
const percentEncoded = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

function spellingOf(sign: string): string {
  if (isPlain(sign)) return sign;
  const forms = [sign, sign.toLowerCase(), sign.toUpperCase()].flatMap((form) => [
    form,
    form.normalize("NFD"),
  ]);
  const written = forms.flatMap((form) => [
    escapeRegex(form),
    jsonEscaped(form),
    percentEncoded(form),
  ]);
  if (/["\\/]/.test(sign)) written.push(`\\\\${escapeRegex(sign)}`);
  return `(?:${[...new Set(written)].join("|")})`;
}

const spell = (text: string): string => Array.from(text.normalize("NFC"), spellingOf).join("");

/**
 * An expression that finds every spelling of a text, and the `LIKE` pattern that the lower-case form of every
 * text matches in which it is found: the plain letters and digits are the same in all spellings.
 */
export type Spelling = { pattern: string; like: string };

function plainLetters(text: string): string {
  const runs = text.normalize("NFC").match(/[a-z0-9]+/gi) ?? [];
  return `%${runs.map((run) => `${run.toLowerCase()}%`).join("")}`;
}

// What stands before an address, so that it is not the end of a longer one: no sign of an address, or the
// escape of a sign that is none. An apostrophe belongs to the address when a letter is before it (o'brien@).
const LETTERS = "a-z0-9\\u00c0-\\u024f";
const NO_ADDRESS_SIGNS = "[01][0-9a-f]|2[02689acf]|3[a-f]|5[bcd]|7[bcd]";
const BEFORE_ADDRESS = [
  "^",
  `[^${LETTERS}._+~'-]`,
  `(?:^|[^${LETTERS}])'`,
  "\\\\[bfnrt]",
  `\\\\u00(?:${NO_ADDRESS_SIGNS})`,
  `%(?:${NO_ADDRESS_SIGNS})`,
].join("|");
/** A full stop may end a sentence. */
const AFTER_ADDRESS = `$|[^${LETTERS}.-]|\\.(?:$|[^${LETTERS}])`;

/** An email address, whole. */
export const addressSpelling = (email: string): Spelling => ({
  pattern: `(?:${BEFORE_ADDRESS})${spell(email)}(?:${AFTER_ADDRESS})`,
  like: plainLetters(email),
});

/** A customer by the storefront's number, in the forms that ids have in payloads. */
export const customerIdSpelling = (digits: string): Spelling => ({
  pattern: `(Customer\\\\?/|"(id|customer_id)" ?: ?"?)${digits}(?!\\d)`,
  like: plainLetters(digits),
});

const wordsOf = (name: string): string[] => name.trim().split(/\s+/);

/** A pattern of a very long name would be too complex for the database. */
const MAX_SIGNS = 40;
const firstSigns = (word: string): string => Array.from(word).slice(0, MAX_SIGNS).join("");
const lastSigns = (word: string): string => Array.from(word).slice(-MAX_SIGNS).join("");

const REST_OF_STRING = '(?:[^"\\\\]|\\\\.)*';
const STRING_END = '"\\s*[,}\\]]';

/**
 * JSON strings that begin with the first word of a name, and ones that end with its last: a text that
 * contains the name in one value, or in a first and a last name, contains both. Keys are no values.
 */
export function nameBounds(name: string): { begins: Spelling; ends: Spelling } {
  const words = wordsOf(name);
  const [first, last] = [firstSigns(words[0] ?? ""), lastSigns(words.at(-1) ?? "")];
  return {
    begins: {
      pattern: `"\\s*${spell(first)}${REST_OF_STRING}${STRING_END}`,
      like: plainLetters(first),
    },
    ends: { pattern: `${spell(last)}\\s*${STRING_END}`, like: plainLetters(last) },
  };
}

/** A name in a sentence; of a very long one, its beginning. */
export function nameSpelling(name: string): Spelling {
  const whole = wordsOf(name).join(" ");
  const start = firstSigns(whole);
  const words = wordsOf(start).map(spell).join("\\s+");
  return {
    pattern: `(?:^|[^${LETTERS}_])${words}${start === whole ? `(?:$|[^${LETTERS}_])` : ""}`,
    like: plainLetters(start),
  };
}

const SEPARATORS = "[^0-9a-zA-Z]{0,3}";

/** Digits in any notation: also numbers that are no phone number. */
export const digitsPattern = (digits: string): string =>
  `${digits.split("").join(SEPARATORS)}(?:$|[^0-9])`;

/** A phone number in a sentence: with its plus sign, for any other digits may be an article's. */
export const phoneSpelling = (digits: string): Spelling => ({
  pattern: `\\+${digitsPattern(digits)}`,
  like: "%+%",
});
