// A process that works privacy requests and nothing else, to be killed in the middle of one.
import { createCtx } from "../../app/context.server.ts";
import { startPrivacyWorker } from "../../app/domain/compliance/privacy-worker.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { createLog } from "../../app/runtime/log.ts";

const env = JSON.parse(process.env.SERVICE_ENV ?? "{}") as Record<string, string>;
const ctx = createCtx({
  config: shapeConfig(env, () => ({})),
  databaseUrl: env.DATABASE_URL ?? "",
  baseUrl: env.BASE_URL ?? "",
  log: createLog("silent"),
});
await startPrivacyWorker(ctx, ctx.home);
process.stdout.write("working\n");
