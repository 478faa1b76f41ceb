// The request that the handler of a cacheable route sees: nothing in it that is not part of the cache's key.
import { expect, it } from "vitest";
import { fromWeb } from "../../../app/http/api-request.ts";
import { toPublicRequest } from "../../../app/http/caching/public-request.ts";
import { processorMs } from "../../support/processor-time.ts";

const SHOP = "shop.myshopify.com";
const requestFor = (query: string) =>
  fromWeb(new Request(`https://service.example/embed/footer?${query}`));
const publicQuery = (query: string): [string, string][] => [
  ...toPublicRequest(requestFor(query), ["locale"]).url.searchParams,
];

it("has the store and the declared parameters, each as often as it was sent, and no other", () => {
  expect(
    publicQuery(`utm=1&shop=${SHOP}&locale=es-419&shop=&locale=%26%C3%A9+x&key=secret`),
  ).toEqual([
    ["shop", SHOP],
    ["locale", "es-419"],
    ["shop", ""],
    ["locale", "&é x"],
  ]);
});

it("is made in a moment from an address with thousands of parameters, which anybody may ask for", () => {
  const names = Array.from({ length: 5_000 }, (_, index) => index.toString(36));
  const started = processorMs();
  expect(publicQuery(`shop=${SHOP}&${names.join("&")}`)).toEqual([["shop", SHOP]]);
  // Some milliseconds. Taking them out one by one, each of which writes the address anew, took a second.
  expect(processorMs() - started).toBeLessThan(250);
});
