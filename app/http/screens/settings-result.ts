import type { SaveResult } from "../../domain/tenants/settings/settings-form.ts";
import { AppError } from "../../runtime/errors.ts";

/** Throws `invalid_request` with the rejected fields. */
export function requireSaved(result: SaveResult): void {
  if (result.outcome === "refused")
    throw new AppError("invalid_request", { message: result.message, fields: result.problems });
}
