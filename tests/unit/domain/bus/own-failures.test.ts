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

test.each([
  ["retail_analytics_a answered 404: NoSuchBucket, It does not exist", 404, "wrong_address"],
  ["retail_analytics_a answered 301: the bucket is in eu-west-2", 301, "wrong_address"],
  ["retail_analytics_a answered 400: AuthorizationHeaderMalformed, x", 400, "wrong_address"],
  ["erpsys answered 307", 307, "wrong_address"],
  ["retail_analytics_a answered 403: AccessDenied, Access Denied", 403, "access_refused"],
  ["retail_analytics_a answered 503: SlowDown", 503, "unwell"],
  ["erpsys answered 404: no such order", 404, "rejected"],
])("an answer is explained by who must act: %s", (error, http_status, kind) => {
  expect(toFailure({ error, http_status })).toEqual({ kind, about: null, http_status });
});
