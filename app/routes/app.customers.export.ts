// The list as a file, for the button of the list: fetched with a session token, because a link
// would send none.
import type { LoaderFunctionArgs } from "@remix-run/node";
import {
  fixSelection,
  listSelectedCustomerIds,
  readSelection,
} from "../domain/customers/bulk/selection.ts";
import { exportCustomers } from "../domain/customers/list/export-customers.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { toErrorResponse } from "../http/screens/screen-actions.ts";
import { streamFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const asked = readSelection(new URL(args.request.url).searchParams);
  if (!asked) return new Response(null, { status: 400 });
  const { selection } = await toErrorResponse(() => fixSelection(ctx, tenant, asked));
  const access = await recordAccess({
    action: "exported",
    userIds: await listSelectedCustomerIds(ctx, tenant, selection),
  });
  ctx.log.info("customers.exported", { shop: tenant.shop });
  return streamFile(
    "customers.csv",
    "text/csv; charset=utf-8",
    exportCustomers(await forReading(ctx, tenant), tenant, selection, access.setCount),
  );
}
