import { useTranslation } from "react-i18next";
import { labelOf } from "./label-of.ts";

export function useChannelName(): (name: string) => string {
  const { t } = useTranslation("glossary");
  return (name) => labelOf(t("channels", { returnObjects: true }), name);
}
