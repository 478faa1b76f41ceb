// The product's limits (Measurement Protocol "Limitations"): it silently drops a value that is too
// long, so our values are cut at a slug's boundary.
const USER_PROPERTY_VALUE = 36;
const PARAM_VALUE = 100;

function join(slugs: readonly string[], limit: number): string {
  let value = "";
  for (const slug of slugs) {
    const longer = value ? `${value},${slug}` : slug;
    if (longer.length > limit) break;
    value = longer;
  }
  return value;
}

/** As many whole slugs, comma-separated, as fit. */
export const toUserPropertyValue = (slugs: readonly string[]): string =>
  join(slugs, USER_PROPERTY_VALUE);
export const toParamValue = (slugs: readonly string[]): string => join(slugs, PARAM_VALUE);
