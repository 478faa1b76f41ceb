/** A cookie of the simulated store: `{store}/{value}`, so that one store never reads another's. */
import type { Call } from "../../exchange.ts";

export function readCookie(call: Call, name: string): { domain: string; value: string } | null {
  const found = (call.headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  if (found === undefined) return null;
  const [domain = "", value = ""] = found.slice(name.length + 1).split("/");
  return { domain, value };
}

export const writeCookie = (name: string, domain: string, value: string): string =>
  `${name}=${domain}/${value}; Path=/; SameSite=Lax`;
