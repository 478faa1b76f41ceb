// The arguments of a tool as language models write them: with null for what they leave out.
import type { z } from "zod";

/** Where a field cannot be null, null counts as left out. */
export function parseArguments<T extends z.ZodType>(schema: T, given: unknown) {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed;
  const left = structuredClone(given);
  const removed = parsed.error.issues.filter(({ path }) => removeNull(left, path));
  return removed.length > 0 ? schema.safeParse(left) : parsed;
}

/** Removes the field at `path` if it is null; true when it was. A null in a list keeps its place. */
function removeNull(value: unknown, path: readonly PropertyKey[]): boolean {
  const name = path.at(-1);
  let parent: unknown = value;
  for (const step of path.slice(0, -1))
    parent = isObject(parent) ? Reflect.get(parent, step) : undefined;
  return (
    name !== undefined &&
    isObject(parent) &&
    !Array.isArray(parent) &&
    Reflect.get(parent, name) === null &&
    Reflect.deleteProperty(parent, name)
  );
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
