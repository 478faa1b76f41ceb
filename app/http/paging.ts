// Lists: `limit` 1..100 (20), an opaque cursor bound to its list and tenant, `next_cursor` null at
// the end. The position is a row id, or the key where rows have a text key.
import { z } from "zod";
import { AppError } from "../runtime/errors.ts";
import type { Secrets } from "../runtime/secrets.ts";

export { readKeyCursor, toKeyCursor } from "../runtime/database/key-cursor.ts";

export const Page = z.object({
  limit: z
    .string()
    .regex(/^\d{1,4}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(1, "must be 1 to 100").max(100, "must be 1 to 100"))
    .default(20),
  cursor: z.string().max(1_000).optional(),
});

/** `list` names the list and the tenant, so that a cursor of another store or list is rejected. */
export function toCursor(secrets: Secrets, list: string, position: number): string {
  return Buffer.from(
    `${position}.${secrets.pseudonym(`cursor/${list}`, String(position)).slice(0, 22)}`,
  ).toString("base64url");
}

export function readCursor(
  secrets: Secrets,
  list: string,
  cursor: string | undefined,
): number | null {
  if (cursor === undefined) return null;
  const position = /^(\d{1,15})\./.exec(Buffer.from(cursor, "base64url").toString("utf8"))?.[1];
  if (position === undefined || toCursor(secrets, list, Number(position)) !== cursor)
    throw new AppError("invalid_cursor");
  return Number(position);
}
