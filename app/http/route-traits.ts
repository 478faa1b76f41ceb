// What the declarations of a route say together: read off once, not at every request.
import type { Specs } from "./endpoint.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

type Traits = {
  allowed: string[];
  isTenantless: boolean;
  hasSession: boolean;
  remembersTenant: boolean;
};
const traits = new WeakMap<Specs, Traits>();

export function traitsOf(specs: Specs): Traits {
  const all = Object.values(specs);
  const known = traits.get(specs) ?? {
    allowed: [
      ...METHODS.filter((method) => specs[method]),
      ...(specs.GET ? ["HEAD"] : []),
      "OPTIONS",
    ],
    isTenantless: all.every((spec) => spec.tenant === "none"),
    hasSession: all.some(
      (spec) =>
        spec.auth === "session" ||
        spec.auth === "person" ||
        spec.auth === "person_or_admin" ||
        spec.auth === "visitor",
    ),
    remembersTenant: all.some((spec) => spec.remembersTenant),
  };
  traits.set(specs, known);
  return known;
}
