// A file of a store is at an https address. The simulated stores of the sandbox are on this machine, without
// TLS: there, the pages that show a store's logo may load images from the sandbox too.
import type { Ctx } from "../../context.server.ts";
import type { ApiResponse } from "../api-response.ts";

const POLICY = "Content-Security-Policy";

export function allowSandboxImages({ config }: Ctx, headers: ApiResponse["headers"]): void {
  const policy = headers[POLICY];
  if (!config.isSandbox || typeof policy !== "string") return;
  const { origin } = new URL(config.STOREFRONT_URL_TEMPLATE.replace("{shop}", ""));
  headers[POLICY] = policy.replace("img-src 'self' https: data:", `$& ${origin}`);
}
