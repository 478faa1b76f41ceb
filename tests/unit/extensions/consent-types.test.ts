// Extensions are built alone and import nothing of the service.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONSENT_TYPES } from "../../../app/domain/consent/consent-types.ts";
import { root } from "../../support/source-files.ts";

test.each([
  ["extensions/customer-account/src/service.ts", /CONSENT_TYPES = \[(.*)\]/],
  ["extensions/admin-customer/src/texts.ts", /consent: \[(.*)\]/],
])("%s lists the consent types of the service", (file, list) => {
  const [, listed] = list.exec(readFileSync(join(root, file), "utf8")) ?? [];
  expect(JSON.parse(`[${listed}]`)).toEqual(CONSENT_TYPES);
});
