// A process whose callers request the storefront token: a line {"shop","callers","force","seen"}
// in, a line of results out.
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { createCtx } from "../../../app/context.server.ts";
import { ensureStorefrontToken } from "../../../app/domain/tenants/storefront/access-token.ts";
import { shapeConfig } from "../../../app/runtime/config.ts";

const config = shapeConfig(process.env, () => ({}));
const ctx = createCtx({
  channels,
  renderThemeFooters,
  config,
  databaseUrl: config.DATABASE_URL as string,
  baseUrl: config.BASE_URL,
});
process.stdin.on("data", (line) => {
  const { shop, callers, force, seen } = JSON.parse(String(line)) as {
    shop: string;
    callers: number;
    force?: boolean;
    seen?: number;
  };
  const options = { ...(force && { force }), ...(seen !== undefined && { generation: seen }) };
  const calls = Array.from({ length: callers }, () => ensureStorefrontToken(ctx, shop, options));
  void Promise.allSettled(calls).then((results) => {
    const tokens = results.map((result) =>
      result.status === "fulfilled"
        ? result.value.accessToken
        : `error: ${(result.reason as Error).message}`,
    );
    process.stdout.write(`tokens ${JSON.stringify(tokens)}\n`);
  });
});
await ctx.home.isReachable();
process.stdout.write("ready\n");
