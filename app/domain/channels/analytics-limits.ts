// The product's limits (Measurement Protocol "Limitations"): a value that is too long is dropped without a word, so ours
// are cut before, at a slug's boundary.
const USER_PROPERTY_VALUE = 36;

/** As many whole slugs, comma-separated, as fit. */
export function toUserPropertyValue(slugs: readonly string[]): string {
  let value = "";
  for (const slug of slugs) {
    const longer = value ? `${value},${slug}` : slug;
    if (longer.length > USER_PROPERTY_VALUE) break;
    value = longer;
  }
  return value;
}
