import type { Visit } from "../../domain/consent/visit.ts";
import type { ApiRequest } from "../api-request.ts";

export const readVisit = (request: ApiRequest): Visit => ({
  userAgent: request.header("user-agent") ?? null,
  gpc: request.header("sec-gpc") === "1",
});
