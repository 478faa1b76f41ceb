// JSON whose texts are stored: no column can hold a NUL, and a jsonb column rejects half of a
// surrogate pair.
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
const SURROGATE = /\\u[dD][89a-fA-F]/;
/** JSON.stringify escapes a surrogate only when its other half is missing. */
const HALVES = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
const NULS = /(?<!\\)((?:\\\\)*)\\u0000/g;
const REPLACEMENT = "$1\\ufffd";

/** A JSON text and what it parses to. */
export type ParsedJson = { text: string; json: unknown };

/** Whether the JSON text contains NUL; an escaped backslash before `u0000` is no NUL. */
export const hasNul = (text: string): boolean => NUL.test(text);

/** Lone surrogates become the replacement character. */
export function replaceHalves({ text, json }: ParsedJson): unknown {
  if (!SURROGATE.test(text)) return json;
  return JSON.parse(JSON.stringify(json).replace(HALVES, REPLACEMENT));
}

/**
 * NULs and lone surrogates become the replacement character: for what the platform signed, which would
 * send the same bytes again.
 */
export function replaceUnstorable(parsed: ParsedJson): unknown {
  if (!hasNul(parsed.text)) return replaceHalves(parsed);
  const text = JSON.stringify(parsed.json);
  return JSON.parse(text.replace(NULS, REPLACEMENT).replace(HALVES, REPLACEMENT));
}

/** The same for one text. */
export const storableText = (text: string): string =>
  text.replace(
    /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    "\ufffd",
  );
