// The install's callback under the name that operators know.
export { action, loader, route } from "./auth.callback.ts";
