// How a page looks for its reader, in the reader's language.
import type { Tenant } from "../../domain/tenants/tenant.ts";
import type { PageLook } from "../../embeds/account-pages.ts";
import { lookOf } from "../../embeds/public-config.ts";
import { findLocale } from "../../embeds/texts.ts";
import type { ApiRequest } from "../api-request.ts";

/**
 * In the language `locale` where it is one of ours, else in the browser's, else in the store's. Only for
 * pages that no shared cache keeps.
 */
export function lookForReader(
  request: ApiRequest,
  tenant: Tenant,
  locale?: string | null,
): PageLook {
  const accepted = (request.header("accept-language") ?? "").split(",");
  return lookOf(tenant, findLocale([locale ?? "", ...accepted]));
}
