// The access log of the store, or of one customer with `customer`, as a file that the browser
// downloads.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { exportAccessLog } from "../domain/compliance/access-log/read-access-log.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { presentDay } from "../domain/tenants/storefront/time-zone.ts";
import { rowNumber } from "../http/screens/screen-address.ts";
import { streamFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const customer = new URL(args.request.url).searchParams.get("customer");
  const userId = customer === null ? null : rowNumber(customer);
  return streamFile(
    `access-log-${userId === null ? "" : `${userId}-`}${presentDay(tenant, ctx.clock)}.csv`,
    "text/csv; charset=utf-8",
    exportAccessLog(await forReading(ctx, tenant), tenant, userId),
  );
}
