// The list as a file, for the button of the list: fetched with a session token, because a link
// would send none.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { Readable } from "node:stream";
import { readFilter } from "../domain/customers/list/customer-filter.ts";
import { exportCustomers } from "../domain/customers/list/export-customers.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const filter = readFilter(new URL(args.request.url).searchParams);
  const access = await recordAccess({ action: "exported" });
  const table = exportCustomers(ctx, tenant, filter, access.setCount);
  args.request.signal.addEventListener("abort", () => table.destroy());
  ctx.log.info("customers.exported", { shop: tenant.shop });
  return new Response(Readable.toWeb(table) as ReadableStream, {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": 'attachment; filename="customers.csv"',
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
