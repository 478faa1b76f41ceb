// Counts what becomes of the banner, for the store's consent insights: one request per step, without any
// identifier and without cookies. Only answers to a visible banner count, and nothing in the theme editor.
import { attempt } from "./browser-store.ts";

type Step = "shown" | "accepted" | "refused" | "customised";
/** What the storefront knows about the visitor's place. */
type Places = {
  designMode?: boolean;
  country?: string;
  customerPrivacy?: { getRegion?(): string };
};

/** Nothing waits for it, and nothing is repeated: a lost count is lost. */
function count({ dataset, lang }: HTMLElement, step: Step): void {
  const { Shopify: shopify, _crmConsent: consent } = window as {
    Shopify?: Places;
    _crmConsent?: { isPreview?: boolean };
  };
  if (!dataset.count || consent?.isPreview || shopify?.designMode) return;
  void fetch(dataset.count, {
    method: "POST",
    keepalive: true,
    credentials: "omit",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      step,
      version: Number(dataset.banner),
      language: lang,
      device: innerWidth < 640 ? "phone" : innerWidth < 1024 ? "tablet" : "desktop",
      region: attempt(() => shopify?.customerPrivacy?.getRegion?.()) || shopify?.country || "",
    }),
  }).catch(() => {});
}

/** Once per page: noted at the banner, because a page may contain this script several times. */
export function countShown(banner: HTMLElement): void {
  if (banner.hidden || "counted" in banner.dataset) return;
  banner.dataset.counted = "";
  count(banner, "shown");
}

/** Before the choice is stored, which hides the banner. `act`: of the pressed button. */
export function countAnswer(banner: HTMLElement | null, act: string | undefined): void {
  if (banner && !banner.hidden)
    count(banner, act === "accept" ? "accepted" : act === "save" ? "customised" : "refused");
}
