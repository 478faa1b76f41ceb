import { useTranslation } from "react-i18next";
import type { RegionMode } from "../../domain/tenants/consent-regions.ts";
import { useLocale } from "../i18n/locale.ts";

const MODES: readonly RegionMode[] = ["opt_in", "opt_out", "none"];

export function useModeOptions(): { value: RegionMode; label: string }[] {
  const { t } = useTranslation("regions");
  return MODES.map((value) => ({ value, label: t(`modes.${value}`) }));
}

/**
 * Countries and the parts that rules name often in the reader's language and in its order; other parts
 * by their code.
 */
export function useRegionNames(): (regions: readonly string[]) => string {
  const { t } = useTranslation("regions");
  const locale = useLocale();
  const names = new Intl.DisplayNames(locale, { type: "region", fallback: "code" });
  const parts = t("parts", { returnObjects: true }) as Partial<Record<string, string>>;
  const nameOf = (region: string) => (region.length === 2 ? names.of(region) : parts[region]);
  return (regions) =>
    regions
      .map((region) => nameOf(region) ?? region)
      .sort((one, other) => one.localeCompare(other, locale))
      .join(", ");
}
