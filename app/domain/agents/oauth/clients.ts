// Agents' clients: registered here (RFC 7591), or described by the document at their client id
// (Client ID Metadata Documents). All are public clients; their self-description is shown but not
// trusted.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { fetchClientDocument } from "../../../integrations/client-documents.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { findEmailAddresses } from "../../../runtime/email-addresses.ts";
import { findAddressProblem } from "../../../runtime/tenant-address.ts";
import { toVisibleLine } from "../../../runtime/text/invisible.ts";
import { consumeRateLimit } from "../../identity/rate-limits.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { findRedirectProblem, hasEmailAddress } from "./redirect-uris.ts";

export type AgentClient = {
  id: string;
  name: string;
  /** The host of its document. Null for a self-registered client. */
  host: string | null;
  redirectUris: string[];
};

const MAX_NAME_LENGTH = 80;
/** Per store; beyond this the oldest of them is deleted. */
const MAX_CLIENTS_WITHOUT_GRANT = 2_000;

const RedirectUri = z.string().superRefine((uri, context) => {
  const problem = findRedirectProblem(uri);
  if (problem) context.addIssue(problem);
});

/** What a client can do elsewhere is accepted beside what is used here; the answer names the latter. */
const listWith = (needed: string) =>
  z
    .array(z.string().max(100))
    .max(20)
    .refine((names) => names.includes(needed), `must hold ${needed}`)
    .optional();

/** Unknown members are ignored, as RFC 7591 requires. */
export const ClientMetadata = z.object({
  redirect_uris: z.array(RedirectUri).min(1).max(10),
  client_name: z.string().max(1_000).optional(),
  token_endpoint_auth_method: z.literal("none", "must be none: clients here are public").optional(),
  grant_types: listWith("authorization_code"),
  response_types: listWith("code"),
});

const ClientDocument = ClientMetadata.extend({
  client_id: z.string(),
  client_secret: z.undefined().optional(),
});

/** More than languages use on one letter; a pile of them covers the lines around the name. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

/**
 * A name that is safe to show: one line, no invisible characters, none that change the text
 * direction, none that cover what is beside it. The fallback also stands for a name with an e-mail
 * address: a shopper's erasure would find it in the store's list of agents, which it cannot change.
 */
function toShownName(name: string | undefined, fallback: string): string {
  const shown = toVisibleLine((name ?? "").normalize("NFKC")).replace(STACKED_MARKS, "$1");
  const isUsable = shown !== "" && findEmailAddresses(shown, 1).length === 0;
  return Array.from(isUsable ? shown : fallback)
    .slice(0, MAX_NAME_LENGTH)
    .join("");
}

export async function registerClient(
  ctx: Ctx,
  tenant: Tenant,
  metadata: z.output<typeof ClientMetadata>,
) {
  const { shop, sql, prisma } = dataOf(ctx, tenant);
  const id = ctx.random.uuid();
  const name = toShownName(metadata.client_name, "Agent");
  const row = await prisma.oauthClient.create({
    data: { shop, client_id: id, client_name: name, redirect_uris: metadata.redirect_uris },
  });
  await sql(
    `DELETE FROM oauth_clients WHERE shop = $1 AND client_id IN (SELECT client_id FROM oauth_clients
      WHERE shop = $1 AND granted_at IS NULL ORDER BY created_at DESC, client_id OFFSET $2)`,
    [MAX_CLIENTS_WITHOUT_GRANT],
  );
  ctx.log.info("agent.registered", { shop: tenant.shop, client_id: id });
  return {
    client_id: id,
    client_id_issued_at: Math.floor(row.created_at.getTime() / 1_000),
    client_name: name,
    redirect_uris: metadata.redirect_uris,
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
  };
}

/** Fetches nothing: any address of a client metadata document counts as a known client. */
export async function isKnownClient(ctx: Ctx, tenant: Tenant, id: string): Promise<boolean> {
  if (await isDocumentAddress(ctx, id)) return true;
  const { prisma } = dataOf(ctx, tenant);
  return (await prisma.oauthClient.count({ where: { client_id: id } })) > 0;
}

/**
 * `address` is the client address of the request: fetching a document counts against its limit.
 * Throws 429.
 */
export async function findClient(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  address: string,
): Promise<AgentClient | null> {
  if (await isDocumentAddress(ctx, id)) return readDocument(ctx, tenant, id, address);
  const row = await dataOf(ctx, tenant).prisma.oauthClient.findUnique({
    where: { shop_client_id: { shop: tenant.shop, client_id: id } },
  });
  return row ? { id, name: row.client_name, host: null, redirectUris: row.redirect_uris } : null;
}

/** One spelling only, because client ids are compared as strings. */
async function isDocumentAddress(ctx: Ctx, id: string): Promise<boolean> {
  const url = URL.parse(id);
  if (!url || id.length > 500 || url.href !== id || !/^https?:$/.test(url.protocol)) return false;
  return (
    url.pathname !== "/" &&
    !url.hash &&
    !url.username &&
    !url.password &&
    !hasEmailAddress(id) &&
    findAddressProblem(id, await ctx.addressRules()) === undefined
  );
}

async function readDocument(
  ctx: Ctx,
  tenant: Tenant,
  id: string,
  address: string,
): Promise<AgentClient | null> {
  const { sql } = dataOf(ctx, tenant);
  const key = KEYS.clientDocument(hash("sha256", id));
  const kept = await findKey<{ client: AgentClient | null }>(sql, key);
  if (kept) return kept.value.client;
  await consumeRateLimit(ctx, tenant, { agent_document_per_address: address });
  const document = ClientDocument.safeParse(await fetchClientDocument(ctx.outbound, id));
  const { host } = new URL(id);
  const client =
    document.success && document.data.client_id === id
      ? {
          id,
          name: toShownName(document.data.client_name, host),
          host,
          redirectUris: document.data.redirect_uris,
        }
      : null;
  await putKey(
    sql,
    key,
    { client },
    client ? TTL_SECONDS.clientDocument : TTL_SECONDS.unreadableClientDocument,
  );
  return client;
}
