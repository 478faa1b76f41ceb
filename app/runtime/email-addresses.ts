// Finds email addresses in untrusted text in linear time: a regular expression that looks for the
// `@` from every preceding character takes minutes for a megabyte without one.

const isOutside = (code: number): boolean =>
  code <= 0x20 ||
  code === 0x22 || // "
  code === 0x27 || // '
  code === 0x28 || // (
  code === 0x29 || // )
  code === 0x2c || // ,
  code === 0x3a || // :
  code === 0x3b || // ;
  code === 0x3c || // <
  code === 0x3e || // >
  code === 0x40 || // @
  code === 0x5c || // \
  (code > 0x7e && /\s/.test(String.fromCharCode(code)));

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const MIN_TOP_LEVEL_LETTERS = 2;

/**
 * The end of the domain that starts at `start`: after the last `.` followed by two letters. -1:
 * none.
 */
function domainEnd(text: string, start: number): number {
  let end = -1;
  for (let at = start; at < text.length && !isOutside(text.charCodeAt(at)); at += 1) {
    if (text[at] !== "." || at === start) continue;
    let letters = at + 1;
    while (letters < text.length && isLetter(text.charCodeAt(letters))) letters += 1;
    if (letters - at > MIN_TOP_LEVEL_LETTERS) end = letters;
  }
  return end;
}

/** The addresses in order, at most `limit`. Each character is read a bounded number of times. */
export function findEmailAddresses(text: string, limit = Number.POSITIVE_INFINITY): string[] {
  const found: string[] = [];
  let from = 0;
  for (
    let at = text.indexOf("@");
    at !== -1 && found.length < limit;
    at = text.indexOf("@", at + 1)
  ) {
    let start = at;
    while (start > from && !isOutside(text.charCodeAt(start - 1))) start -= 1;
    const end = start < at ? domainEnd(text, at + 1) : -1;
    from = at + 1;
    if (end === -1) continue;
    found.push(text.slice(start, end));
    from = end;
  }
  return found;
}

export const hasEmailAddress = (text: string): boolean => findEmailAddresses(text, 1).length > 0;

const MAX_ENCODINGS = 4;

/** Repeatedly decodes percent-encoding; in invalidly encoded text only the `@`. */
function decodeAll(text: string): string {
  let decoded = text;
  for (let n = 0; n < MAX_ENCODINGS && decoded.includes("%"); n += 1) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return decoded.replaceAll(/%(?:25)*40/g, "@");
    }
  }
  return decoded;
}

const looksLikeAddress = (piece: string): boolean =>
  /[^@]@[^@]/.test(decodeAll(piece).normalize("NFKC"));

/**
 * Replaces with `redacted` every part between spaces and slashes that may be an address, in any
 * encoding.
 */
export const redactEmailAddresses = (text: string): string =>
  /[@%\ufe6b\uff20]/.test(text)
    ? text.replaceAll(/[^\s/]+/g, (piece) => (looksLikeAddress(piece) ? "redacted" : piece))
    : text;
