// The system's own message for a rejection. The usual places of REST, OData and GraphQL.
const MAX_LENGTH = 500;
const PLACES = ["message", "error_description", "detail", "title", "description", "msg", "value"];
const WRAPPERS = ["error", "errors", "innererror", "data"];

/** Null where the response has none. Personal: it may repeat what was sent. */
export function answerMessage(body: string): string | null {
  try {
    return findMessage(JSON.parse(body), 0)?.slice(0, MAX_LENGTH) ?? null;
  } catch {
    return null;
  }
}

function findMessage(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value.trim() || null;
  if (depth > 4 || typeof value !== "object" || value === null) return null;
  if (Array.isArray(value)) return findMessage(value[0], depth + 1);
  const fields = value as Record<string, unknown>;
  for (const name of [...PLACES, ...WRAPPERS]) {
    const found = Object.hasOwn(fields, name) ? findMessage(fields[name], depth + 1) : null;
    if (found !== null) return found;
  }
  return null;
}
