// What every screen of the app begins with: whose store it is, proven by the admin's session token. The store comes from
// nowhere else, so that no address and no form field can name another's.
import { data, type ActionFunctionArgs, type LoaderFunctionArgs } from "@remix-run/node";
import type { Ctx } from "../context.server.ts";
import { findTenant, type Tenant } from "../domain/tenants/tenant.ts";

export type ScreenVisit = { ctx: Ctx; tenant: Tenant };

/** Throws the answer to give when nobody proved who they are, and 409 for a store that was never connected. */
export async function visitScreen({
  request,
  context: { ctx, shopify },
}: LoaderFunctionArgs | ActionFunctionArgs): Promise<ScreenVisit> {
  const { shop } = await shopify.authenticateAdmin(request);
  const tenant = await findTenant(ctx, shop);
  if (!tenant) throw data({ code: "not_connected" }, { status: 409 });
  return { ctx, tenant };
}

/** For an address that names nothing of this store: the frame says so. */
export function notFound(): never {
  throw data({ code: "not_found" }, { status: 404 });
}

const LARGEST = 2_147_483_647;

/** The number of a row in an address; what is none is nobody's address. */
export function rowNumber(given: string | undefined): number {
  const id = /^[1-9]\d{0,9}$/.test(given ?? "") ? Number(given) : 0;
  return id > 0 && id <= LARGEST ? id : notFound();
}
