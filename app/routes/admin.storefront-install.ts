// The install under the name that operators know.
export { action, loader, route } from "./auth.install.ts";
