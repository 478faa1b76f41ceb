// The merchant's link to an export. The archive's own URLs open for the operator only, so the mail
// contains a link of ours: 256 random bits, stored as a hash, valid once. Opening the page does not
// consume it, because mail scanners open links.
import { hash } from "node:crypto";
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { findKey, putKey, takeKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

/** Below the store's root (DECISIONS 15, within 12). */
export const exportPath = (shop: string, requestId: number): string =>
  `gdpr/${shop}/${requestId}.json`;

export const DownloadInput = z.object({ token: z.string().min(1).max(500) });

type ExportLink = { request_id: number };
const keyOf = (token: string) => KEYS.exportLink(hash("sha256", token));

/** `locale`: of the mail with the link; the page behind it is in the same language. */
export async function createExportLink(
  ctx: Ctx,
  tenant: Tenant,
  requestId: number,
  locale?: string,
): Promise<string> {
  const token = ctx.random.bytes(32).toString("base64url");
  const link: ExportLink = { request_id: requestId };
  await putKey(dataOf(ctx, tenant).sql, keyOf(token), link, TTL_SECONDS.exportLink);
  return `${ctx.baseUrl}/gdpr/export?${new URLSearchParams({ shop: tenant.shop, ...(locale && { locale }), token })}`;
}

/** Whether the link is valid; does not consume it. */
export async function isExportLinkOpen(ctx: Ctx, tenant: Tenant, token: string): Promise<boolean> {
  return (await findKey(dataOf(ctx, tenant).sql, keyOf(token))) !== null;
}

/**
 * Consumes the link: of two concurrent callers one gets the export, the other `invalid_link`. It stays
 * open while the archive does not answer.
 */
export async function downloadByLink(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<{ requestId: number; document: string }> {
  const { sql } = dataOf(ctx, tenant);
  const requestId = (await findKey<ExportLink>(sql, keyOf(token)))?.value.request_id;
  if (requestId === undefined) throw new AppError("invalid_link");
  const document = await readExport(ctx, tenant, requestId);
  if (!(await takeKey(sql, keyOf(token)))) throw new AppError("invalid_link");
  ctx.log.info("privacy_export.downloaded", { shop: tenant.shop, request_id: requestId });
  return { requestId, document };
}

/** Throws `not_found` when there is no export, when its retention ended, or when the person was erased since. */
export async function readExport(ctx: Ctx, tenant: Tenant, requestId: number): Promise<string> {
  const object = await ctx.archive.ofStore(tenant.shop).get(exportPath(tenant.shop, requestId));
  if (!object) throw new AppError("not_found");
  return object.toString("utf8");
}

const Exported = z.object({ accounts: z.array(z.object({ id: z.int() })) });

/** The accounts of an export's document; empty for a person without an account. */
export function peopleOfExport(document: string): number[] {
  return Exported.safeParse(JSON.parse(document)).data?.accounts.map(({ id }) => id) ?? [];
}
