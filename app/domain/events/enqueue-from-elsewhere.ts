// The built-in backend as other systems call it (SPEC "{backend_url}/integration-enqueue"): the
// caller, which holds BACKEND_API_KEY, authenticated and normalised the event.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { IntegrationQueue, NullableColumns } from "../../db.server.ts";
import { SHOP_PATTERN } from "../tenants/tenant-config.ts";
import { dataOf, withTenant } from "../tenants/tenant.ts";
import { EventInput, normalise } from "./envelope.ts";
import { ingest } from "./ingest.ts";

export const EnqueueInput = EventInput.extend({
  tenant_shop: z.string().regex(SHOP_PATTERN, "must look like name.myshopify.com"),
}).required({ event_id: true, event_type: true });

/** Returns the lowest queue id of the event; null when it has no destination. */
export async function enqueueFromElsewhere(
  ctx: Ctx,
  input: z.output<typeof EnqueueInput>,
): Promise<number | null> {
  return withTenant(ctx, input.tenant_shop, async (tenant) => {
    const envelope = normalise(ctx, tenant, input, {
      proof: "backend_key",
      namedSource: null,
      topic: null,
      triggeredAt: null,
    });
    const { event_id } = await ingest(ctx, tenant, envelope, { isLocal: true });
    const [row] = await dataOf(ctx, tenant).sql<NullableColumns<IntegrationQueue, "id">>(
      "SELECT min(id) AS id FROM integration_queue WHERE shop = $1 AND event_id = $2",
      [event_id],
    );
    return row?.id ?? null;
  });
}
