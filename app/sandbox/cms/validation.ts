/**
 * Validates an item: required name and slug, unique slug, declared fields only, one type per field.
 */
import type { CmsCollection, CmsState } from "./state.ts";

export type CmsProblem = { param: string; description: string };

const SLUG = /^[a-z0-9_][a-z0-9_-]{0,255}$/;
const EMAIL = /^[^\s@<>()]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** `fieldData` is the item as it would be stored; `itemId` is set when the item exists already. */
export function findItemProblems(
  state: CmsState,
  collection: CmsCollection,
  fieldData: Record<string, unknown>,
  itemId?: string,
): CmsProblem[] {
  const problems: CmsProblem[] = [];
  const refuse = (param: string, description: string): void => {
    problems.push({ param: `fieldData.${param}`, description });
  };
  for (const field of collection.fields) {
    if (
      field.isRequired &&
      (fieldData[field.slug] === undefined ||
        fieldData[field.slug] === null ||
        fieldData[field.slug] === "")
    ) {
      refuse(field.slug, "Value is required");
    }
  }
  for (const [slug, value] of Object.entries(fieldData)) {
    const field = collection.fields.find((candidate) => candidate.slug === slug);
    if (!field) refuse(slug, "Field not described in schema: undefined");
    else if (value !== null && value !== "") {
      const expected = describeTypeProblem(state, field.type, value);
      if (expected) refuse(slug, expected);
    }
  }
  const { slug } = fieldData;
  if (typeof slug === "string" && slug !== "") {
    if (!SLUG.test(slug))
      refuse("slug", "Slug may hold lowercase letters, digits, hyphens and underscores only");
    const isTaken = Object.values(collection.items).some(
      (item) => item.id !== itemId && item.fieldData["slug"] === slug,
    );
    if (isTaken) refuse("slug", `Unique value is already in database: '${slug}'`);
  }
  return problems;
}

function describeTypeProblem(state: CmsState, type: string, value: unknown): string | null {
  switch (type) {
    case "Number":
      return typeof value === "number" && Number.isFinite(value)
        ? null
        : "Expected value to be a number";
    case "Switch":
      return typeof value === "boolean" ? null : "Expected value to be a boolean";
    case "Email":
      return typeof value === "string" && value.length <= 256 && EMAIL.test(value)
        ? null
        : "Expected value to be an email";
    case "MultiReference": {
      if (!Array.isArray(value)) return "Expected value to be an array of item ids";
      const missing = value.find(
        (id) =>
          !Object.values(state.collections).some(({ items }) => Object.hasOwn(items, String(id))),
      );
      return missing === undefined ? null : `Referenced item not found: ${String(missing)}`;
    }
    default:
      return typeof value === "string" ? null : "Expected value to be a string";
  }
}
