// Closes the events screens to stores of the role `shared`, as the event endpoints are.
import type { ActionFunctionArgs } from "@remix-run/node";
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { ScreenContext } from "../../shopify.server.ts";
import { requireEventAccess } from "../auth/guards.ts";
import { toErrorResponse } from "./screen-actions.ts";

/** For loaders. Throws a 403 that the screen shows. */
export async function requireEvents<Context extends { tenant: Tenant }>(
  authenticated: Promise<Context>,
): Promise<Context> {
  const context = await authenticated;
  await toErrorResponse(() => requireEventAccess(context.tenant));
  return context;
}

type ActionContext = ScreenContext & Pick<ActionFunctionArgs, "params">;

/** For actions, which return an error where it is thrown. */
export function withEvents<Input, Data>(
  run: (context: ActionContext, input: Input) => Promise<Data> | Data,
): (context: ActionContext, input: Input) => Promise<Data> | Data {
  return (context, input) => {
    requireEventAccess(context.tenant);
    return run(context, input);
  };
}
