// The customers whom a bulk change refused, as a file: fetched with a session token, because a link would
// send none.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { errorSentences } from "../components/i18n/error-sentences.ts";
import { localeOf } from "../components/i18n/locale.ts";
import { exportRefusals } from "../domain/customers/bulk/refusals.ts";
import { findBulkRun } from "../domain/customers/bulk/run-row.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { notFound } from "../http/screens/screen-address.ts";
import { streamFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const { request } = args;
  const id = new URL(request.url).searchParams.get("id") ?? "";
  const reader = await forReading(ctx, tenant);
  const run = (await findBulkRun(reader, tenant, id)) ?? notFound();
  const access = await recordAccess({ action: "exported" });
  ctx.log.info("bulk_run.refusals_exported", { shop: tenant.shop, run_id: run.id });
  const sentences = errorSentences[localeOf(request)];
  return streamFile(
    "refused-customers.csv",
    "text/csv; charset=utf-8",
    exportRefusals(reader, tenant, run.id, {
      explain: (reason) => sentences[reason] ?? "",
      onEnd: access.setCount,
    }),
  );
}
