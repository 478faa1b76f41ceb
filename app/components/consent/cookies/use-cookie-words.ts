import { useTranslation } from "react-i18next";
import type { ListedCookie } from "../../../domain/cookie-list/cookie-list.ts";

/** What a cookie is for and how long it is kept, in the reader's language or in the merchant's own words. */
export function useCookieWords(): (cookie: ListedCookie) => { use: string; duration: string } {
  const { t } = useTranslation(["cookie-list", "cookie-uses"]);
  return ({ text }) => {
    if (text.by === "merchant") return text;
    const { lasts } = text;
    return {
      use: t(`cookie-uses:uses.${text.use}`),
      duration:
        typeof lasts === "string"
          ? t(`lasts.${lasts}`)
          : t(`lasts.${lasts[1]}`, { count: lasts[0] }),
    };
  };
}
