// The banner's counts of a period as a file that the browser downloads.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { exportInsights, InsightQuery } from "../domain/consent/insights/read-insights.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { presentDay } from "../domain/tenants/storefront/time-zone.ts";
import { streamFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const query = InsightQuery.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  return streamFile(
    `consent-insights-${presentDay(tenant, ctx.clock)}.csv`,
    "text/csv; charset=utf-8",
    exportInsights(await forReading(ctx, tenant), tenant, query),
  );
}
