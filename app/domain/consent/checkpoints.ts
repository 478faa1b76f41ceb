// Signed copies of the chain's head in the archive, outside of the database. Each names the
// previous one, and the newest is recorded in the key-value store, so that a deleted one is detected.
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
import { findKey, putKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

// Signed with a key that is not in the database: an attacker who can rewrite every row cannot
// rewrite these.
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

/** Archives the signed head when it moved since the last checkpoint. Safe to repeat. */
export async function writeCheckpoint(
  ctx: Ctx,
  tenant: Tenant,
  { ofStore }: Ctx["archive"] = ctx.archive,
): Promise<boolean> {
  const data = dataOf(ctx, tenant);
  const head = await data.prisma.consentChainHead.findFirst({ where: { seq: { gt: 0 } } });
  if (!head) return false;
  const seq = Number(head.seq);
  const path = pathOf(tenant.shop, seq);
  const archive = ofStore(tenant.shop);
  if (await archive.get(path)) return false;
  const previous = (await findKey<Newest>(data.sql, KEYS.consentCheckpoint))?.value.seq;
  const checkpoint: Checkpoint = {
    shop: tenant.shop,
    seq,
    hash: head.hash,
    at: ctx.clock.now().toISOString(),
    ...(previous !== undefined && { previous }),
  };
  const signature = sign(null, messageOf(checkpoint), signingKey(ctx)).toString("base64");
  await archive.put(path, JSON.stringify({ ...checkpoint, signature }), "application/json");
  // Recorded only once it is archived: a crash between the two must not look like a deleted checkpoint.
  await putKey(data.sql, KEYS.consentCheckpoint, { seq } satisfies Newest);
  return true;
}

/**
 * The archived checkpoints: hashes by position; the positions of invalid ones, and of missing ones.
 */
export async function readCheckpoints(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ checkpoints: Map<number, string>; forged: number[]; missing: number[] }> {
  // Read first: a checkpoint written while the archive is listed is then either listed or not expected.
  const newest = (await findKey<Newest>(dataOf(ctx, tenant).sql, KEYS.consentCheckpoint))?.value
    .seq;
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

/**
 * Null for anything we did not write: an attacker who can forge a checkpoint can also write invalid
 * data.
 */
function parseCheckpoint(object: Buffer | null): z.output<typeof Signed> | null {
  try {
    return Signed.parse(JSON.parse(object?.toString("utf8") ?? "null"));
  } catch {
    return null;
  }
}
