// Which front pages may stand behind the banner's preview, by their headers.
import { expect, test } from "vitest";
import { refusesFrames } from "../../../app/domain/tenants/storefront/front-page-frame.ts";

const csp = (policy: string | string[]) => ({ "content-security-policy": policy });

test.each([
  ["no header", {}, false],
  ["a policy without frame-ancestors", csp("default-src 'self'; base-uri 'none'"), false],
  [
    "the platform's own",
    {
      ...csp("block-all-mixed-content; frame-ancestors 'none'; upgrade-insecure-requests;"),
      "x-frame-options": "DENY",
    },
    true,
  ],
  ["ancestors by name", csp("frame-ancestors https://a.example"), true],
  ["any ancestor, which a frame without an origin is not", csp("Frame-Ancestors *"), true],
  ["the second of two policies", csp(["default-src *", "frame-ancestors 'self'"]), true],
  ["two policies in one header", csp("default-src *, frame-ancestors 'none'"), true],
  ["X-Frame-Options", { "x-frame-options": "sameorigin" }, true],
  ["X-Frame-Options that is no value", { "x-frame-options": "ALLOWALL" }, false],
])("a page is framed or not by %s", (_, headers, isRefused) => {
  expect(refusesFrames(headers)).toBe(isRefused);
});
