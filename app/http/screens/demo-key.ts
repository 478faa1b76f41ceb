// The operator's key of the sandbox, for the API reference. Only for a browser on the same machine:
// a sandbox that listens or is named elsewhere keeps its key to itself, and a page of another site
// that resolves to this machine (DNS rebinding) sends its own name as the host.
import { isLoopbackHost } from "../../domain/tenants/public-hosts.ts";
import type { Config } from "../../runtime/config.ts";

const isLoopback = (host: string): boolean =>
  isLoopbackHost(URL.parse(`http://${host}`)?.hostname ?? "");

export function demoKey(
  { isSandbox, HOST, ADMIN_KEY }: Pick<Config, "isSandbox" | "HOST" | "ADMIN_KEY">,
  baseUrl: string,
  host: string | null,
): string | null {
  const isHere =
    isLoopback(HOST) && isLoopback(new URL(baseUrl).host) && host !== null && isLoopback(host);
  return isSandbox && isHere ? (ADMIN_KEY ?? null) : null;
}
