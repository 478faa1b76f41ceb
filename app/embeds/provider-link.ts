// The button of a sign-in elsewhere, with the provider's mark.
import type { OidcProviderName } from "../domain/inventory/sign-in-providers.ts";
import { escapeHtml } from "./escaping.ts";
import type { FederatedBrand } from "./public-config.ts";

type Texts = Record<OidcProviderName | FederatedBrand, string>;

/** The provider's own name where shoppers know it, also the name of its mark in the style. */
export const knownAs = (
  provider: OidcProviderName,
  brand: FederatedBrand | null,
): OidcProviderName | FederatedBrand =>
  provider === "federated" && brand !== null ? brand : provider;

export function providerLink(
  provider: OidcProviderName,
  href: string,
  texts: Texts,
  brand: FederatedBrand | null,
): string {
  const name = knownAs(provider, brand);
  return `<a class="button plain wide mark ${name}" href="${escapeHtml(href)}" target="_top">${escapeHtml(texts[name])}</a>`;
}
