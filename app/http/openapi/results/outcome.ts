// Parts of many responses.
import { z } from "zod";

export const Ok = z.object({ ok: z.literal(true) });

/** The cursor of a list's next page; null at the end. */
export const NextCursor = z
  .string()
  .nullable()
  .meta({ description: "The cursor of the next page; null at the end." });

export const Timestamp = z.iso.datetime();
