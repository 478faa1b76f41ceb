// What has to be added by hand for a new consent type: the rest derives from the list.
import { LANGUAGES } from "../../../app/locales/languages.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ADDRESS_CONSENT_TYPES, CONSENT_TYPES } from "../../../app/domain/consent/consent-types.ts";
import { TYPES } from "../../../app/embeds/scripts/browser-store.ts";
import { root } from "../../support/source-files.ts";

type Texts = { [key: string]: string | Texts };
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8")) as Texts;

/** Extensions are built alone and import nothing of the service. */
test.each([
  ["extensions/customer-account/src/service.ts", /CONSENT_TYPES = \[([^\]]*)\]/],
  ["extensions/admin-customer/src/texts.ts", /consent: \[([^\]]*)\]/],
])("%s lists the consent types of the service", (file, list) => {
  const [, listed] = list.exec(readFileSync(join(root, file), "utf8")) ?? [];
  expect(listed?.match(/\w+/g)).toEqual(CONSENT_TYPES);
});

test("the theme's scripts know the types that an address decides", () => {
  expect(TYPES).toEqual(ADDRESS_CONSENT_TYPES);
});

describe.each(LANGUAGES)("in %s every consent type has its name", (language) => {
  const extension = language === "en" ? "en.default" : language;
  test.each<[file: string, namesOf: (texts: Texts) => unknown]>([
    [`app/locales/${language}/glossary.json`, ({ consent }) => consent],
    [`app/locales/${language}/consent/consent.json`, ({ kinds }) => kinds],
    [`extensions/admin-customer/locales/${extension}.json`, ({ consent }) => consent],
    [
      `extensions/customer-account/locales/${extension}.json`,
      ({ consents }) => (consents as Texts).names,
    ],
  ])("%s", (file, namesOf) => {
    expect(Object.keys(namesOf(read(file)) as Texts)).toEqual(
      expect.arrayContaining([...CONSENT_TYPES]),
    );
  });

  test(`app/locales/${language}/embeds/shopper.json`, () => {
    expect(Object.keys(read(`app/locales/${language}/embeds/shopper.json`))).toEqual(
      expect.arrayContaining(CONSENT_TYPES.map((type) => `consent_${type}`)),
    );
  });
});
