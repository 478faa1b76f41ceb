// What a page reports of its banner. Every value is one of a list: an outsider cannot write a text into a store's
// numbers, nor more rows than the lists have values.
import { z } from "zod";
import { findBannerLanguage } from "../../tenants/banner/banner-texts.ts";

export const BANNER_STEPS = ["shown", "accepted", "refused", "customised"] as const;
export type BannerStep = (typeof BANNER_STEPS)[number];
const DEVICES = ["phone", "tablet", "desktop"] as const;

/** ISO 3166-1, and Kosovo. */
const COUNTRIES: ReadonlySet<string> = new Set(
  (
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO " +
    "BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ " +
    "DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP " +
    "GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG " +
    "KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML " +
    "MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE " +
    "PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL " +
    "SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM " +
    "US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW XK "
  )
    .trim()
    .split(" "),
);
/** Laws differ between them. */
const US_STATES: ReadonlySet<string> = new Set(
  (
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV " +
    "NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY "
  )
    .trim()
    .split(" "),
);
const UNKNOWN = "unknown";

/** The platform writes `DE`, and with a part of the country `USCA` or `DEBE`. */
function toRegion(text: string): string {
  const [, country = "", part = ""] = /^([A-Z]{2})-?([A-Z0-9]{0,3})$/.exec(text) ?? [];
  if (!COUNTRIES.has(country)) return UNKNOWN;
  return country === "US" && US_STATES.has(part) ? `US-${part}` : country;
}

const MAX_REGION = 8;
const MAX_LANGUAGE = 16;

export const BannerEvent = z.strictObject({
  step: z.enum(BANNER_STEPS),
  /** The published banner that was shown. */
  version: z.int().min(0).max(1_000_000),
  language: z
    .string()
    .max(MAX_LANGUAGE)
    .transform((locale) => findBannerLanguage(locale) ?? UNKNOWN),
  device: z.enum(DEVICES),
  region: z.string().max(MAX_REGION).toUpperCase().transform(toRegion),
});
export type BannerEvent = z.output<typeof BannerEvent>;
