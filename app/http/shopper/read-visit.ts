// What the consent log keeps about the browser of a decision.
import type { Visit } from "../../domain/consent/sync-consent.ts";
import type { ApiRequest } from "../api-request.ts";

/** `gpc`: the browser sent Global Privacy Control. */
export const readVisit = (request: ApiRequest): Visit => ({
  userAgent: request.header("user-agent") ?? null,
  gpc: request.header("sec-gpc") === "1",
});
