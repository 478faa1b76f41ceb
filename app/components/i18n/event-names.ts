import { useTranslation } from "react-i18next";
import { labelOf } from "./label-of.ts";

/** The name of a kind of event; another system's own kinds have none. */
export function useEventName(): (type: string) => string {
  const { t } = useTranslation("deliveries");
  const names = t("eventTypes", { returnObjects: true });
  return (type) => {
    const key = type.replace(/^customer\./, "");
    return Object.hasOwn(names, key) ? labelOf(names, key) : type;
  };
}
