/** The ways in which any endpoint of the provider can fail. */
import { json } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";

export function brokenReply(flaw: number | "hang" | "garbage"): ApiResponse | Promise<ApiResponse> {
  if (typeof flaw === "number") return json(flaw, { error: "server_error" });
  // No answer; the connection ends when the caller gives up or the sandbox stops.
  if (flaw === "hang") return new Promise<ApiResponse>(() => undefined);
  return { status: 200, headers: { "content-type": "application/json" }, body: '{"id_token":"ey' };
}
