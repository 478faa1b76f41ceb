// `npm run consent:verify [-- shop]`: verifies the consent logs of all stores, or of one, against their
// chains and signed checkpoints. Exits 1 when a row was edited, moved or deleted.
import { verifyConsentChain } from "../app/domain/consent/verify-chain.ts";
import { listShops } from "../app/domain/tenants/directory.ts";
import { getTenant } from "../app/domain/tenants/tenant.ts";
import { openServiceContext } from "./service-context.ts";

const ctx = openServiceContext();
const [only] = process.argv.slice(2);
for (const shop of only ? [only] : await listShops(ctx)) {
  const { ok, rows, problems } = await verifyConsentChain(ctx, await getTenant(ctx, shop));
  process.stdout.write(
    `${ok ? "ok      " : "PROBLEMS"} ${shop}: ${rows} rows\n${problems.map(({ id, seq, kind }) => `         ${kind} at seq ${seq}${id === null ? "" : ` (row ${id})`}\n`).join("")}`,
  );
  if (!ok) process.exitCode = 1;
}
await ctx.close();
