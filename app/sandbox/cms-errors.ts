/** The CMS's one error shape. */
import type { CmsProblem } from "./cms-validation.ts";
import { json } from "./exchange.ts";
import type { Reply } from "./exchange.ts";

export function cmsError(
  status: number,
  code: string,
  message: string,
  details: CmsProblem[] = [],
  headers: Record<string, string> = {},
): Reply {
  return json(status, { message, code, externalReference: null, details }, headers);
}
