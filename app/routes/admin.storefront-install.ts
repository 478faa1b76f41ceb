// An alias of the installation for operators.
export { action, loader, route } from "./auth.install.ts";
