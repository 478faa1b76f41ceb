// A customer's data as a file, for the button of the customer's page: fetched with a session token,
// and recorded.
import type { ActionFunctionArgs } from "@remix-run/node";
import { exportForMerchant } from "../domain/compliance/requests/merchant-requests.ts";
import { rowNumber } from "../http/screens/screen-address.ts";
import { authenticate } from "../shopify.server.ts";
import { isAppError } from "../runtime/errors.ts";

export async function action(args: ActionFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  try {
    const id = rowNumber(args.params.id);
    const { requestId, document } = await exportForMerchant(ctx, tenant, id);
    await recordAccess({ action: "exported", userIds: [id] });
    return new Response(document, {
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Content-Disposition": `attachment; filename="customer-data-${requestId}.json"`,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      },
    });
  } catch (error) {
    if (isAppError(error)) return new Response(null, { status: error.status });
    throw error;
  }
}
