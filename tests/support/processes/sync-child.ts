// A process that syncs a store's customers and ends, to be killed before it does.
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { createCtx } from "../../../app/context.server.ts";
import { syncCustomers } from "../../../app/domain/customers/sync/catch-up.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { shapeConfig } from "../../../app/runtime/config.ts";
import { createLog } from "../../../app/runtime/log.ts";

const { SYNC_SHOP = "", SYNC_PAGE_SIZE = "", ...env } = process.env;
const config = shapeConfig(env, () => ({}));
const ctx = createCtx({
  channels,
  renderThemeFooters,
  config,
  databaseUrl: config.DATABASE_URL as string,
  baseUrl: config.BASE_URL,
  log: createLog("silent"),
});
const result = await syncCustomers(ctx, await getTenant(ctx, SYNC_SHOP), {
  pageSize: Number(SYNC_PAGE_SIZE),
});
await ctx.close();
process.stdout.write(`finished ${JSON.stringify(result)}\n`);
