// A process that works on privacy requests only, to be killed during one.
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { createCtx } from "../../../app/context.server.ts";
import { startPrivacyWorker } from "../../../app/domain/compliance/requests/privacy-worker.ts";
import { shapeConfig } from "../../../app/runtime/config.ts";
import { createLog } from "../../../app/runtime/log.ts";

const env = JSON.parse(process.env.SERVICE_ENV ?? "{}") as Record<string, string>;
const ctx = createCtx({
  channels,
  renderThemeFooters,
  config: shapeConfig(env, () => ({})),
  databaseUrl: env.DATABASE_URL ?? "",
  baseUrl: env.BASE_URL ?? "",
  log: createLog("silent"),
});
await startPrivacyWorker(ctx, ctx.home);
process.stdout.write("working\n");
