// Hosts of a store (DECISIONS 3). A host resolves to one store, and is active once the store has
// proven it: saved with ADMIN_KEY, by a DNS record with the store's token, or on this machine in
// the sandbox.
//
//   listed -> proven (operator | dns | sandbox);  taken over by a store that proves it first;  removed with the listing
//
// The table `public_hosts` is the source of truth, because a host is unique in it; the tenant
// record has a copy of the proven ones, which saves code with a tenant a second query.
import type { Ctx } from "../../context.server.ts";
import type { SettingsActor } from "./admin-key.ts";
import type { Transaction, TransactionPrisma } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { sameProblem } from "../../runtime/field-problem.ts";
import { normaliseHost } from "./settings/field-schemas.ts";
import { changeTenantRecord } from "./tenant-record.ts";
import { getTenant, StaleTenantError, withTenant, type Tenant } from "./tenant.ts";

const RECORD_LABEL = "_customer-identity";
const TOKEN_LENGTH = 40;

type Proof = "operator" | "dns" | "sandbox";

export const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3})$/.test(host) || host.endsWith(".localhost");

/** The same for all of a store's hosts; not secret, it only names the store. */
const hostToken = (ctx: Ctx, shop: string): string =>
  ctx.secrets.pseudonym("public_hosts", shop).slice(0, TOKEN_LENGTH);

const recordName = (host: string): string => `${RECORD_LABEL}.${host}`;

async function findProof(
  ctx: Ctx,
  shop: string,
  host: string,
  { by }: { by: SettingsActor },
): Promise<Proof | null> {
  if (by === "operator") return "operator";
  if (ctx.config.isSandbox && isLoopbackHost(host)) return "sandbox";
  const records = await ctx.findTxtRecords(recordName(host));
  return records.includes(hostToken(ctx, shop)) ? "dns" : null;
}

// Waits for a concurrent claim of the same host. A proven claim takes over an unproven host; an existing
// proof stays.
const CLAIM_HOST = `
  INSERT INTO public_hosts (shop, host, proof, proven_at)
  VALUES ($1, $2, $3, CASE WHEN $3::text IS NOT NULL THEN now() END)
  ON CONFLICT (host) DO UPDATE SET
    shop = excluded.shop,
    proof = coalesce(public_hosts.proof, excluded.proof),
    proven_at = coalesce(public_hosts.proven_at, excluded.proven_at)
  WHERE public_hosts.shop = excluded.shop OR (excluded.proof IS NOT NULL AND public_hosts.proof IS NULL)
  RETURNING host`;

/** The current proofs of the hosts; queries DNS, so not inside a transaction. */
export async function proveHosts(
  ctx: Ctx,
  shop: string,
  hosts: readonly string[],
  { by }: { by: SettingsActor },
): Promise<Map<string, Proof | null>> {
  const proven = await Promise.all(
    hosts.map(async (host) => [host, await findProof(ctx, shop, host, { by })] as const),
  );
  return new Map(proven);
}

/**
 * Makes these exactly the store's hosts. Throws `conflict` when a host belongs to another store.
 * Returns the proven ones.
 */
export async function claimHosts(
  { sql, prisma }: Transaction,
  hosts: ReadonlyMap<string, Proof | null>,
): Promise<string[]> {
  // In a fixed order, so that two saves cannot deadlock.
  const names = [...hosts.keys()].sort();
  await prisma.publicHost.deleteMany({ where: { host: { notIn: names } } });
  const taken: string[] = [];
  for (const host of names) {
    const rows = await sql(CLAIM_HOST, [host, hosts.get(host) ?? null]);
    if (rows.length === 0) taken.push(host);
  }
  if (taken.length > 0)
    throw new AppError("conflict", {
      message: `Another store has ${taken.join(", ")}. A DNS record with your store's token shows that a host is yours.`,
      ...sameProblem(["public_hosts"], {
        code: "otherStore",
        reason: "names a host of another store",
      }),
    });
  return provenHosts(prisma);
}

async function provenHosts(prisma: TransactionPrisma): Promise<string[]> {
  const rows = await prisma.publicHost.findMany({
    where: { proof: { not: null } },
    orderBy: { host: "asc" },
  });
  return rows.map(({ host }) => host);
}

/** Checks unproven hosts again. Returns how many became proven. */
export function checkHosts(ctx: Ctx, { shop }: Pick<Tenant, "shop">): Promise<number> {
  return withTenant(ctx, shop, async (tenant) => {
    const open = listedHosts(tenant)
      .filter((host) => !tenant.publicHosts.includes(host))
      .sort();
    if (open.length === 0) return 0;
    const proofs = await proveHosts(ctx, shop, open, { by: "store" });
    const proven = [...proofs].filter(([, proof]) => proof !== null);
    return proven.length === 0 ? 0 : keepProofs(ctx, tenant, new Map(proven));
  });
}

/** Throws StaleTenantError when the record changed meanwhile: a host that was taken off the list must not come back. */
function keepProofs(
  ctx: Ctx,
  { shop, version }: Tenant,
  proofs: ReadonlyMap<string, Proof | null>,
): Promise<number> {
  return ctx.home.forTenant(shop).transaction(async (sql, prisma) => {
    let count = 0;
    for (const [host, proof] of proofs) count += (await sql(CLAIM_HOST, [host, proof])).length;
    const connection = { proven_hosts: await provenHosts(prisma) };
    const change = { connection, ifVersion: version.tenant };
    if (!(await changeTenantRecord(ctx, shop, change, sql))) throw new StaleTenantError();
    ctx.log.info("public_hosts.proven", { shop, hosts: [...proofs.keys()] });
    return count;
  });
}

const listedHosts = ({ config }: Tenant): string[] => [
  ...new Set((config.public_hosts ?? []).map(normaliseHost)),
];

type HostView = {
  host: string;
  /** `taken`: another store has it. */
  state: "proven" | "unproven" | "taken";
  /** The name of the TXT record that proves it. */
  record: string;
};
export type HostsView = { token: string; hosts: HostView[] };

/** The listed hosts, their state, and how to prove the rest. */
export async function showHosts(ctx: Ctx, shop: string): Promise<HostsView> {
  const tenant = await getTenant(ctx, shop);
  const mine = await ctx.home.forTenant(shop).prisma.publicHost.findMany();
  const claimed = new Set(mine.map(({ host }) => host));
  const stateOf = (host: string): HostView["state"] => {
    if (tenant.publicHosts.includes(host)) return "proven";
    return claimed.has(host) ? "unproven" : "taken";
  };
  return {
    token: hostToken(ctx, shop),
    hosts: listedHosts(tenant).map((host) => ({
      host,
      state: stateOf(host),
      record: recordName(host),
    })),
  };
}
