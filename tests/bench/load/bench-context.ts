// The service's parts beside a sandbox, without HTTP and workers: for benches that call them directly.
import { createCtx, type Ctx } from "../../../app/context.server.ts";
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { shapeConfig } from "../../../app/runtime/config.ts";
import { applyMigrations } from "../../../app/runtime/database/migrations/apply-migrations.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { startSandbox, type Sandbox } from "../../../app/sandbox/server.ts";
import { APP_SECRET, CLIENT_ID, testEnvironment } from "../../support/service.ts";

const NOWHERE = "http://127.0.0.1:1";

export type BenchContext = { ctx: Ctx; sandbox: Sandbox; close(): Promise<void> };

/** Migrates the database first. */
export async function openBenchContext(databaseUrl: string): Promise<BenchContext> {
  await applyMigrations(databaseUrl);
  const sandbox = await startSandbox({
    app: { url: NOWHERE, clientId: CLIENT_ID, clientSecret: APP_SECRET },
  });
  const config = shapeConfig(
    { ...testEnvironment(sandbox, databaseUrl), BASE_URL: NOWHERE },
    () => ({}),
  );
  const ctx = createCtx({
    channels,
    renderThemeFooters,
    config,
    databaseUrl,
    baseUrl: NOWHERE,
    log: createLog("silent"),
  });
  return {
    ctx,
    sandbox,
    async close() {
      await ctx.close();
      await sandbox.stop();
    },
  };
}
