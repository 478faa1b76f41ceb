// Reads a screen's URL parameters.
import { data } from "@remix-run/node";

/** Throws a 404 that the surrounding frame shows. */
export function notFound(): never {
  throw data({ code: "not_found" }, { status: 404 });
}

const MAX_ROW_ID = 2_147_483_647;

/** Parses a row id of a URL. Throws 404 when it is invalid. */
export function rowNumber(text: string | undefined): number {
  const id = /^[1-9]\d{0,9}$/.test(text ?? "") ? Number(text) : 0;
  return id > 0 && id <= MAX_ROW_ID ? id : notFound();
}
