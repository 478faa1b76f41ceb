// What a form of settings posts, and its result.
import { z } from "zod";
import type { SaveResult } from "../../domain/tenants/settings/settings-form.ts";
import { AppError } from "../../runtime/errors.ts";

/** `fields`: JSON of the changed fields. `versions`: of each, the version that it was shown with. */
export const PostedSettings = z.object({
  fields: z.string(),
  versions: z.record(z.string().max(80), z.string().max(80)).optional(),
});

/** The system whose connection is tested. */
export const TestedSystem = z.object({ system: z.string().max(40) });

/** Throws `invalid_request` with the rejected fields. */
export function requireSaved(result: SaveResult): void {
  if (result.outcome === "refused")
    throw new AppError("invalid_request", {
      message: result.message,
      fields: result.problems,
      fieldCodes: result.codes,
    });
}
