// `npm run consent:verify [-- shop]`: verifies the consent logs of all stores, or of one, against their
// chains and signed checkpoints. Exits 1 when a row was edited, moved or deleted.
import { channels } from "../app/domain/channels/index.ts";
import { renderThemeFooters } from "../app/embeds/theme-footers.ts";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createCtx } from "../app/context.server.ts";
import { verifyConsentChain } from "../app/domain/consent/verify-chain.ts";
import { listShops } from "../app/domain/tenants/directory.ts";
import { getTenant } from "../app/domain/tenants/tenant.ts";
import { shapeConfig } from "../app/runtime/config.ts";
import { localSettings } from "../app/runtime/local-secrets.ts";

const dataDir = resolve(import.meta.dirname, "..", process.env.DATA_DIR || ".data");
const databaseUrl = process.env.DATABASE_URL || readFileSync(join(dataDir, "database.url"), "utf8");
const config = shapeConfig({ LOG_LEVEL: "error", ...process.env }, (mode) =>
  localSettings(dataDir, mode),
);
const ctx = createCtx({
  channels,
  renderThemeFooters,
  config,
  databaseUrl,
  baseUrl: config.BASE_URL ?? "http://127.0.0.1",
});
const [only] = process.argv.slice(2);
for (const shop of only ? [only] : await listShops(ctx)) {
  const { ok, rows, problems } = await verifyConsentChain(ctx, await getTenant(ctx, shop));
  process.stdout.write(
    `${ok ? "ok      " : "PROBLEMS"} ${shop}: ${rows} rows\n${problems.map(({ id, seq, kind }) => `         ${kind} at seq ${seq}${id === null ? "" : ` (row ${id})`}\n`).join("")}`,
  );
  if (!ok) process.exitCode = 1;
}
await ctx.close();
