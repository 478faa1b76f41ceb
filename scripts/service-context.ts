// The service for a command-line tool: the settings and the database of `npm start` on this machine, or
// of the environment.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createCtx, type Ctx } from "../app/context.server.ts";
import { channels } from "../app/domain/channels/index.ts";
import { renderThemeFooters } from "../app/embeds/theme-footers.ts";
import { shapeConfig } from "../app/runtime/config.ts";
import { localSettings } from "../app/runtime/local-secrets.ts";

/** Close it at the end. */
export function openServiceContext(): Ctx {
  const dataDir = resolve(import.meta.dirname, "..", process.env.DATA_DIR || ".data");
  const databaseUrl =
    process.env.DATABASE_URL || readFileSync(join(dataDir, "database.url"), "utf8");
  const config = shapeConfig({ LOG_LEVEL: "error", ...process.env }, (mode) =>
    localSettings(dataDir, mode),
  );
  return createCtx({
    channels,
    renderThemeFooters,
    config,
    databaseUrl,
    baseUrl: config.BASE_URL ?? "http://127.0.0.1",
  });
}
