// Every path of the service, for tests of what must hold at all of them.
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

/** Of the endpoints with `1` for what stands in the path, of the screens, and of the pages behind the gate. */
export async function allPaths(): Promise<string[]> {
  const { all } = await loadRoutes();
  return [...all.map(({ path }) => path.replaceAll(/:\w+/g, "1")), ...SCREENS, ...GATED];
}
