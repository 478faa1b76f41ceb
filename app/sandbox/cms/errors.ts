/** The CMS's error format. */
import type { CmsProblem } from "./validation.ts";
import { json } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";

export function cmsError(
  status: number,
  code: string,
  message: string,
  details: CmsProblem[] = [],
  headers: Record<string, string> = {},
): ApiResponse {
  return json(status, { message, code, externalReference: null, details }, headers);
}

export function notFound(what: string): ApiResponse {
  return cmsError(404, "resource_not_found", `Requested resource not found: ${what}`);
}

export function methodNotAllowed(): ApiResponse {
  return cmsError(405, "method_not_allowed", "Method not allowed");
}
