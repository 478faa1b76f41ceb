// An alias of the installation's callback for operators.
export { action, loader, route } from "./auth.callback.ts";
