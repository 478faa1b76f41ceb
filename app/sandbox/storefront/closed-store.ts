/**
 * A store that the platform has closed to apps (shopify.dev "API response status and error codes", GraphQL Admin API
 * "Status and error codes"). `frozen`: its owner has not paid. `locked`: too many calls, or a suspicion of fraud.
 * `inactive`: the same, as the GraphQL APIs say it.
 */
import { json, type ApiResponse } from "../exchange.ts";
import type { ShopState } from "./state.ts";

export type Closure = "frozen" | "locked" | "inactive";

/** The answer of a closed store; null while it is open. */
export function closedAnswer({ closure }: ShopState, path: string): ApiResponse | null {
  if (!closure || !/^\/(?:admin\/(?:oauth\/access_token$|api\/)|api\/)/.test(path)) return null;
  if (closure === "frozen") return json(402, { errors: "Unavailable Shop" });
  if (closure === "locked" || !path.endsWith("/graphql.json"))
    return json(423, { errors: "Locked" });
  const errors = [{ message: "This shop is not active.", extensions: { code: "SHOP_INACTIVE" } }];
  return json(200, { errors });
}
