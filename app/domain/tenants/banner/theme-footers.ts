// What the theme's pages get of the footer: the metafield's value. The markup is made by the embeds, whose
// renderer the process hands in: the domain knows no markup.
import type { Tenant } from "../tenant.ts";
import type { PublishedBanner } from "./published-banner.ts";

/**
 * `parts`: the footer by language. `otherCodes`: further codes of these languages. `locale`: the one for all other
 * languages; null when some languages did not fit, which the page then gets from the service.
 */
export type ThemeFooters = {
  locale: string | null;
  style: string;
  parts: Record<string, string>;
  otherCodes: Record<string, string>;
};

export type RenderThemeFooters = (
  tenant: Tenant,
  published: PublishedBanner,
  serviceUrl: string,
) => ThemeFooters;
