// An opaque cursor from a row's or a system's own key, bound to its list: `list` names the list and
// the tenant, so that a cursor of another list is rejected.
import { AppError } from "../errors.ts";
import type { Secrets } from "../secrets.ts";

const MAC_LENGTH = 22;

export function toKeyCursor(secrets: Secrets, list: string, key: string): string {
  return Buffer.from(secrets.pseudonym(`cursor/${list}`, key).slice(0, MAC_LENGTH) + key).toString(
    "base64url",
  );
}

/** Null without a cursor; throws `invalid_cursor`. */
export function readKeyCursor(
  secrets: Secrets,
  list: string,
  cursor: string | undefined,
): string | null {
  if (cursor === undefined) return null;
  const key = Buffer.from(cursor, "base64url").toString("utf8").slice(MAC_LENGTH);
  if (toKeyCursor(secrets, list, key) !== cursor) throw new AppError("invalid_cursor");
  return key;
}
