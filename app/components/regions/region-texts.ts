import { useTranslation } from "react-i18next";
import type { RegionMode } from "../../domain/tenants/consent-regions.ts";
import { useLocale } from "../i18n/locale.ts";

const MODES: readonly RegionMode[] = ["opt_in", "opt_out", "none"];

export function useModeOptions(): { value: RegionMode; label: string }[] {
  const { t } = useTranslation("regions");
  return MODES.map((value) => ({ value, label: t(`modes.${value}`) }));
}

/** Countries by name in the reader's language; parts of a country by their code. */
export function useRegionNames(): (regions: readonly string[]) => string {
  const locale = useLocale();
  const names = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });
  const nameOf = (region: string) => (region.length === 2 ? names.of(region) : region);
  return (regions) => regions.map((region) => nameOf(region) ?? region).join(", ");
}
