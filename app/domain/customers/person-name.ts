// A name is one line of visible text: screens, mails and files of other systems show it as it is.
// Overrides of the writing direction would let it rearrange the text that stands after it.
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Without overrides of the writing direction; line breaks and other control characters are a space. */
export const cleanName = (name: string): string =>
  name.replace(DIRECTION_OVERRIDES, "").replace(CONTROLS, " ").trim();
