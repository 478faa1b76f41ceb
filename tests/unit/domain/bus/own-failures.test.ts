import { expect, test } from "vitest";
import { OWN_FAILURES } from "../../../../app/domain/bus/log/own-failures.ts";
import { toFailure } from "../../../../app/domain/bus/log/failure-kind.ts";

const { consentMissing, fieldsMissing, productsUnknown, mappingMissing, mappingInvalid } =
  OWN_FAILURES;
const { fieldNotSet, notSet, notEnabled, entityRefused } = OWN_FAILURES;

test.each([
  [consentMissing.text("ad_user_data"), "consent", "ad_user_data"],
  [fieldsMissing.text(["vat_id", "lines[0].sku"]), "data", "vat_id, lines[0].sku"],
  [productsUnknown.text(["TEA-1", "TEA-2"]), "data", "TEA-1, TEA-2"],
  [mappingMissing.text("erp_generic/order"), "mapping", "erp_generic/order"],
  [mappingInvalid.text("erp_generic/order", "Invalid input"), "mapping", "erp_generic/order"],
  [fieldNotSet.text("erp_base_url"), "setting", "erp_base_url"],
  [notSet.text("the email key or sender"), "setting", null],
  [notEnabled.text("the profile platform"), "setting", null],
  [entityRefused.text("erpsys", "customers, orders and invoices", "return"), "data", "return"],
])("a channel's reason keeps its kind: %s", (error, kind, about) => {
  expect(toFailure({ error, http_status: null })).toEqual({ kind, about, http_status: null });
});
