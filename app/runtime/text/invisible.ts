// Characters that show nothing, or turn the text around them: control and format characters, private-use and
// unassigned ones, fillers, variation selectors, the empty Braille pattern. Beside letters they hide words from
// people that language models read, and alone they are a name that nobody sees.
const ONE = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/u;
const EACH = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const LINE_OR_SPACE = /[\p{Cc}\s]+/gu;

export const hasInvisible = (text: string): boolean => ONE.test(text);

/** The visible text on one line. */
export const toVisibleLine = (text: string): string =>
  text.replace(LINE_OR_SPACE, " ").replace(EACH, "").replace(/ {2,}/g, " ").trim();
