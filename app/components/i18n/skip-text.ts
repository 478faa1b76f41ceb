import { useTranslation } from "react-i18next";
import type { Skip } from "../../domain/bus/outcome.ts";

/** Why a delivery sent nothing. */
export function useSkipText(): (skip: Skip) => string {
  const { t } = useTranslation("glossary");
  return ({ kind }) => t(`skips.${kind}`);
}
