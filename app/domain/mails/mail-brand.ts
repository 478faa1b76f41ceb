// A store's brand as its mails show it.
import type { Tenant } from "../tenants/tenant.ts";

export type MailBrand = {
  name: string;
  /** http or https. */
  logoUrl: string | null;
  /** `#rrggbb`: the buttons, and the line above the mail. */
  color: string | null;
  supportEmail: string | null;
  /** http or https. */
  privacyUrl: string | null;
};

export const brandOf = ({ shop, config }: Pick<Tenant, "shop" | "config">): MailBrand => ({
  name: config.brand_name ?? shop,
  logoUrl: webAddress(config.logo_url),
  // Checked again: it is written into styles.
  color: /^#[0-9a-f]{6}$/.test(config.brand_color ?? "") ? config.brand_color! : null,
  supportEmail: config.support_email ?? null,
  privacyUrl: webAddress(config.privacy_url),
});

/** Null for other schemes: they could run script. */
function webAddress(address: string | undefined): string | null {
  const url = address === undefined ? null : URL.parse(address);
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}

/** Black or white, whichever is easier to read on the colour: at least 4.5:1 on every colour. */
export function textColorOn(color: string): "#000000" | "#ffffff" {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? "#000000" : "#ffffff";
}
