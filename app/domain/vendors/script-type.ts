// Which scripts a browser runs, by their `type`: the same rule for the scripts in the store's pages and for the check of
// the storefront. It imports nothing, because every shopper downloads it.

/** Of any other type nothing is loaded or run, and neither `load` nor `error` comes. */
export const RUNNABLE_TYPE = /^(|module|(text|application)\/(x-)?(java|ecma|j|live)script[\d.]*)$/i;
