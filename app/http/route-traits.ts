// The combined declarations of a route's methods, computed once per route.
import { AUTH_SCHEMES } from "./auth/schemes.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Specs } from "./endpoint.ts";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

type Traits = {
  allowed: string[];
  isTenantless: boolean;
  hasSession: boolean;
  isOfExtensions: boolean;
  allowsCachedTenant: boolean;
  /**
   * Anybody may call it: an access token that comes along names its store, as everywhere, except
   * where caches keep the response for everybody. There nobody has verified the token.
   */
  isPublic: boolean;
  shopOfToken: ((request: ApiRequest) => string | null) | null;
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
    hasSession: all.some((spec) => AUTH_SCHEMES[spec.auth].isPerson || spec.auth === "visitor"),
    isOfExtensions: all.some((spec) => AUTH_SCHEMES[spec.auth].isOfExtensions),
    allowsCachedTenant: all.some((spec) => spec.allowsCachedTenant),
    isPublic: all.some(
      (spec) => spec.auth === "none" && spec.tenant === "registered" && !spec.isCacheable,
    ),
    shopOfToken: all.map((spec) => AUTH_SCHEMES[spec.auth].shopOfToken).find(Boolean) ?? null,
  };
  traits.set(specs, known);
  return known;
}
