// What a screen says when another system did not do what was asked.
import { expect, test } from "vitest";
import { toSystemProblem } from "../../../../app/domain/bus/log/system-problem.ts";

test.each([
  ["email", 401, "system_access_refused"],
  ["email", 403, "system_access_refused"],
  ["email", 422, "system_rejected"],
  ["email", 429, "system_too_many"],
  ["email", 503, "system_unwell"],
  ["storefront", 403, "store_access_refused"],
  ["storefront", 402, "store_closed"],
  ["storefront", 423, "store_closed"],
  ["storefront", 422, "store_rejected"],
  ["storefront", 429, "store_too_many"],
  ["storefront", 503, "store_unwell"],
])("a refusal of %s with status %i is shown as %s, with the status", (system, status, code) => {
  const problem = { code, http_status: status };
  expect(toSystemProblem(system, `${system} answered ${status}`, status)).toEqual(problem);
  expect(toSystemProblem(system, `${system} answered ${status}`)).toEqual(problem);
});

test.each([
  ["The storefront no longer accepts this store's token. Install the app again.", "not_installed"],
  ["the storefront refused the call: Access denied for customers", "store_not_allowed"],
  ["the storefront refused every call of this store: This shop is not active.", "other"],
  ["Something went wrong on our side. It has been logged.", "other"],
])("'%s' is not called silence of the store, but %s", (error, code) =>
  expect(toSystemProblem("storefront", error).code).toBe(code),
);

test("a system whose answer cannot be read is shown as one with an error of its own", () =>
  expect(
    toSystemProblem(
      "cms",
      "cms answered something that is not JSON, or more than the service reads",
      502,
    ),
  ).toEqual({ code: "system_unwell", http_status: 502 }));

test("a system that cannot be reached or is too slow is shown as one that did not answer", () => {
  for (const error of ["email cannot be reached", "email did not answer in time"])
    expect(toSystemProblem("email", error).code).toBe("system_unavailable");
  expect(toSystemProblem("storefront", "storefront did not answer in time").code).toBe(
    "storefront_unavailable",
  );
});

test("a store that is closed to apps, and a right that it has not given, are shown as such and not as a rejected request", () => {
  const problemOf = (message: string, status: number) =>
    toSystemProblem("storefront", message, status).code;
  expect([
    problemOf("the storefront refused every call of this store: This shop is not active.", 423),
    problemOf("the storefront refused the call: Access denied for segments field.", 422),
  ]).toEqual(["store_closed", "store_not_allowed"]);
});
