// The filtered consent log as a file that the browser downloads.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { ConsentFilters, exportConsentLog } from "../domain/consent/consent-log.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { presentDay } from "../domain/tenants/storefront/time-zone.ts";
import { streamFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const filters = ConsentFilters.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  const access = await recordAccess({ action: "exported" });
  return streamFile(
    `consent-log-${presentDay(tenant, ctx.clock)}.csv`,
    "text/csv; charset=utf-8",
    exportConsentLog(await forReading(ctx, tenant), tenant, filters, access.setCount),
  );
}
