// `npm run bench [-- webhooks events bus peers identity consent commerce mcp embeds customers]`: prints a table of
// ratios measured within this one run, and the same as a line of JSON. The exit code is 1 only when
// a ratio is far below what any machine should reach. (`npm run bench:sync` is separate: it
// measures memory too.)
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { endChildren } from "../support/processes/child.ts";
import { benchBus } from "./bus.ts";
import { benchCommerce } from "./commerce.ts";
import { run as benchConsent } from "./consent.ts";
import { run as benchIdentity } from "./identity.ts";
import { benchCustomers } from "./customers.ts";
import { benchEmbeds } from "./embeds.ts";
import { benchEvents } from "./events.ts";
import { benchMcp } from "./mcp.ts";
import { benchPeers } from "./peers.ts";
import type { Measure } from "./side.ts";
import { benchWebhooks } from "./webhook.ts";

const SUITES: Record<string, (serverUrl: string) => Promise<Measure[]>> = {
  webhooks: (url) => benchWebhooks(url),
  events: (url) => benchEvents(url),
  bus: (url) => benchBus(url),
  peers: (url) => benchPeers(url),
  identity: (url) => benchIdentity(url),
  consent: () => benchConsent(),
  embeds: (url) => benchEmbeds(url),
  mcp: (url) => benchMcp(url),
  commerce: (url) => benchCommerce(url),
  customers: (url) => benchCustomers(url),
};
const wanted = process.argv.slice(2);

const folder = await mkdtemp("/var/tmp/customer-identity-bench-");
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
const started = performance.now();
let failed = true;
try {
  const measures: Measure[] = [];
  for (const [suite, bench] of Object.entries(SUITES))
    if (wanted.length === 0 || wanted.includes(suite))
      measures.push(...(await bench(postgres.url)));
  const name = Math.max(...measures.map((measure) => measure.name.length));
  for (const measure of measures)
    process.stdout.write(
      `${measure.name.padEnd(name)}  ${measure.value.toFixed(2).padStart(7)} x ${measure.bound}${measure.floor(measure.value) ? "" : "   <- far beyond"}\n`,
    );
  process.stdout.write(
    `${JSON.stringify({ ratios: Object.fromEntries(measures.map((measure) => [measure.name, Number(measure.value.toFixed(3))])), seconds: Math.round((performance.now() - started) / 1_000) })}\n`,
  );
  failed = measures.some((measure) => !measure.floor(measure.value));
} finally {
  await endChildren();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(failed ? 1 : 0);
