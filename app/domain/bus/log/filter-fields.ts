// The fields of a log's filter in a URL. What is invalid is ignored, as in every list.
import { z } from "zod";

export const textField = (max: number) =>
  z
    .string()
    .max(max)
    // The database takes no NUL in a text.
    .transform((value) => value.replaceAll("\u0000", "").trim() || undefined)
    .optional()
    .catch(undefined);

/** A day of the store, as `2026-11-23`. */
export const dayField = z
  .string()
  .regex(/^20\d\d-/)
  .pipe(z.iso.date())
  .optional()
  .catch(undefined);
