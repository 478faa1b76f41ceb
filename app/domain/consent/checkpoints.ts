// Signed copies of the chain's head in the archive, outside of the database. Each names the one before it, and the newest
// is remembered in the key-value store, so that one that is taken away is missed.
import {
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { getKey, KEYS, putKey } from "../../runtime/kv.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

// Signed with a key that the database does not hold: who can rewrite every row still cannot rewrite these.
const ED25519_PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

function signingKey(ctx: Ctx): KeyObject {
  const seed = Buffer.from(
    hkdfSync("sha256", ctx.config.SECRETS_KEY, Buffer.alloc(0), "consent-checkpoints", 32),
  );
  return createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8, seed]),
    format: "der",
    type: "pkcs8",
  });
}

// The oldest ones name no predecessor.
const Signed = z.object({
  shop: z.string(),
  seq: z.number().int().positive(),
  hash: z.string(),
  at: z.string(),
  previous: z.number().int().positive().optional(),
  signature: z.string(),
});
type Checkpoint = Omit<z.output<typeof Signed>, "signature">;
const folderOf = (shop: string) => `consent/checkpoints/${shop}/`;
const pathOf = (shop: string, seq: number) =>
  `${folderOf(shop)}${String(seq).padStart(12, "0")}.json`;
const messageOf = ({ shop, seq, hash, at, previous }: Checkpoint) =>
  Buffer.from(`${shop}\n${seq}\n${hash}\n${at}${previous === undefined ? "" : `\n${previous}`}`);

type Newest = { seq: number };

/** Archives the head, signed, when it moved since the last checkpoint. Safe to repeat. */
export async function writeCheckpoint(ctx: Ctx, tenant: Tenant): Promise<boolean> {
  const { sql } = dataOf(ctx, tenant);
  const [head] = await sql<{ seq: number; hash: string }>(
    "SELECT seq, hash FROM consent_chain_heads WHERE shop = $1 AND seq > 0",
  );
  if (!head) return false;
  const path = pathOf(tenant.shop, head.seq);
  const archive = ctx.archive.ofStore(tenant.shop);
  if (await archive.get(path)) return false;
  const previous = (await getKey<Newest>(sql, KEYS.consentCheckpoint))?.value.seq;
  const checkpoint: Checkpoint = {
    shop: tenant.shop,
    seq: head.seq,
    hash: head.hash,
    at: ctx.clock.now().toISOString(),
    ...(previous !== undefined && { previous }),
  };
  const signature = sign(null, messageOf(checkpoint), signingKey(ctx)).toString("base64");
  await archive.put(path, JSON.stringify({ ...checkpoint, signature }), "application/json");
  // Remembered only once it is there: a crash between the two is not a checkpoint that somebody took away.
  await putKey(sql, KEYS.consentCheckpoint, { seq: head.seq } satisfies Newest);
  return true;
}

/** What is in the archive: hashes by place; the places of those that are not ours as they stand, and of those that are gone. */
export async function readCheckpoints(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ checkpoints: Map<number, string>; forged: number[]; missing: number[] }> {
  // Read first: whatever is written while the archive is listed is then in the list, or not asked for.
  const newest = (await getKey<Newest>(dataOf(ctx, tenant).sql, KEYS.consentCheckpoint))?.value.seq;
  const publicKey = createPublicKey(signingKey(ctx));
  const checkpoints = new Map<number, string>();
  const forged: number[] = [];
  const expected = new Set<number>(newest === undefined ? [] : [newest]);
  const archive = ctx.archive.ofStore(tenant.shop);
  for (const path of await archive.list(folderOf(tenant.shop))) {
    const checkpoint = parseCheckpoint(await archive.get(path));
    const isOurs =
      checkpoint?.shop === tenant.shop &&
      verify(null, messageOf(checkpoint), publicKey, Buffer.from(checkpoint.signature, "base64"));
    if (isOurs) checkpoints.set(checkpoint.seq, checkpoint.hash);
    else forged.push(Number(/\/(\d+)\.json$/.exec(path)?.[1] ?? 0));
    if (isOurs && checkpoint.previous !== undefined) expected.add(checkpoint.previous);
  }
  const missing = [...expected]
    .filter((seq) => !checkpoints.has(seq) && !forged.includes(seq))
    .sort((a, b) => a - b);
  return { checkpoints, forged, missing };
}

/** Null for what we never wrote: whoever can forge a checkpoint can also write nonsense into it. */
function parseCheckpoint(object: Buffer | null): z.output<typeof Signed> | null {
  try {
    return Signed.parse(JSON.parse(object?.toString("utf8") ?? "null"));
  } catch {
    return null;
  }
}
