// The languages of the banner: which one a reader gets, and how it is written.
import { expect, it } from "vitest";
import {
  BANNER_LANGUAGES,
  directionOf,
  findBannerLanguage,
  OTHER_CODES,
  shippedTexts,
} from "../../../../app/domain/tenants/banner/banner-texts.ts";

it.each([
  ["de-AT", "de"],
  ["PT-br", "pt-BR"],
  ["pt-AO", "pt-PT"],
  ["no", "nb"],
  ["nn-NO", "nb"],
  ["iw-IL", "he"],
  ["ar-EG", "ar"],
  ["zh", "zh-CN"],
  ["zh-SG", "zh-CN"],
  ["zh-Hans-HK", "zh-CN"],
  ["zh-tw", "zh-TW"],
  ["zh-HK", "zh-TW"],
  ["zh-Hant-MO", "zh-TW"],
  ["fa", null],
  ["", null],
  [null, null],
])("a reader of %s gets the texts of %s", (locale, language) => {
  expect(findBannerLanguage(locale)).toBe(language);
});

it("a language that has texts of its own never gets those of another", () => {
  for (const language of BANNER_LANGUAGES) {
    expect(findBannerLanguage(language)).toBe(language);
    expect(OTHER_CODES.has(language)).toBe(false);
  }
});

it("the direction of each language is the one in which its texts are written", () => {
  for (const language of BANNER_LANGUAGES) {
    const isWrittenFromRight = Object.values(shippedTexts(language)).every((text) =>
      /^[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text),
    );
    expect([language, directionOf(language)]).toEqual([
      language,
      isWrittenFromRight ? "rtl" : "ltr",
    ]);
  }
});
