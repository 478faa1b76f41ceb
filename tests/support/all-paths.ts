// Every path of the service, for tests of rules that hold for all of them.
import { loadRoutes } from "../../app/http/route-table.ts";

const SCREENS = [
  "/",
  "/app",
  "/app/settings",
  "/app/customers",
  "/app/no-such-screen",
  "/auth/shopify/login",
  "/auth/shopify/session-token",
  "/auth/shopify/exit-iframe",
  "/no-such-page",
];
const GATED = ["/setup", "/settings", "/onboarding", "/setup.data", "/settings/", "/Setup"];

/**
 * The endpoints' paths with `1` for each parameter, the screens', and those of the pages behind the
 * gate.
 */
export async function allPaths(): Promise<string[]> {
  const { all } = await loadRoutes();
  return [...all.map(({ path }) => path.replaceAll(/:\w+/g, "1")), ...SCREENS, ...GATED];
}
