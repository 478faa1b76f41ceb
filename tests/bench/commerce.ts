// The catalog compared with a bare proxy of the same call to the same storefront, uncached and cached.
import autocannon from "autocannon";
import { startChild } from "../support/processes/child.ts";
import { ADMIN_KEY, SHOP } from "../support/service.ts";
import { percentile } from "./load/percentile.ts";
import { startSide, stopSide, type Measure, type Side } from "./side.ts";

const ROUNDS = 4;
const ROUND_SECONDS = 3;
const CONNECTIONS = 16;
const PRODUCTS = 20;

let asked = 0;
/**
 * A different search text each time for the service's cache, with the same words for the
 * storefront.
 */
function newQuery(): string {
  const n = asked++;
  const word = Array.from("camera", (letter, at) =>
    n & (1 << at) ? letter.toUpperCase() : letter,
  ).join("");
  return encodeURIComponent(word + " ".repeat(Math.floor(n / 64) % 180));
}

const productsPath = (query: string) => `/commerce/products?shop=${SHOP}&first=20&query=${query}`;

async function runRound(
  url: string,
  pathOf: () => string,
  seconds = ROUND_SECONDS,
): Promise<number> {
  const request = {
    method: "GET",
    path: "/",
    setupRequest: (base: object) => ({ ...base, path: pathOf() }),
  };
  const result = await new Promise<{
    "2xx": number;
    duration: number;
    non2xx: number;
    errors: number;
  }>((done, reject) =>
    autocannon(
      { url, connections: CONNECTIONS, duration: seconds, requests: [request] },
      (error, answer) => (error ? reject(error) : done(answer)),
    ),
  );
  if (result.non2xx + result.errors > 0)
    throw new Error(
      `${result.non2xx + result.errors} requests were not answered with 2xx: the figures would mean nothing`,
    );
  return result["2xx"] / result.duration;
}

async function openStore(side: Side): Promise<string> {
  const { storefront } = side.sandbox;
  Object.assign(storefront.settings, {
    graphqlCost: { maximumAvailable: 1e9, restoreRate: 1e9, maximumQueryCost: 1e9 },
  });
  const grant = storefront.install(SHOP, { scope: "read_products" });
  for (let n = 0; n < PRODUCTS; n += 1)
    storefront.putProduct(SHOP, {
      title: `Camera ${n}`,
      description: "Takes pictures. ".repeat(20),
      variants: [{ price: "40.00" }, { price: "45.00" }],
    });
  const fields = {
    storefront_admin_token: grant.access_token,
    storefront_refresh_token: grant.refresh_token,
    storefront_token_expires_at: new Date(
      Date.now() + (grant.expires_in ?? 3_600) * 1_000,
    ).toISOString(),
  };
  const answer = await fetch(`${side.server.url}/config?shop=${SHOP}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_KEY}` },
    body: JSON.stringify(fields),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  const products = (await (await fetch(side.server.url + productsPath("camera"))).json()) as {
    products: unknown[];
  };
  if (products.products.length !== PRODUCTS)
    throw new Error("the store does not show its products");
  return grant.access_token;
}

export async function benchCommerce(serverUrl: string): Promise<Measure[]> {
  const side = await startSide(serverUrl, "bench_commerce", "web");
  const token = await openStore(side);
  const bare = startChild("tests/bench/bare/proxy.ts", {
    STOREFRONT_URL: `${side.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", SHOP)}/admin/api/2026-04/graphql.json`,
    TOKEN: token,
  });
  const [, bareUrl = ""] = await bare.line("its address", /^listening on (\S+)$/);
  const sides: [url: string, pathOf: () => string][] = [
    [bareUrl, () => "/"],
    [side.server.url, () => productsPath(newQuery())],
    [side.server.url, () => productsPath("camera")],
  ];
  const rounds: number[][] = [[], [], []];
  try {
    for (const [url, pathOf] of sides) await runRound(url, pathOf, 1);
    for (let n = 0; n < ROUNDS; n += 1)
      for (let at = 0; at < sides.length; at += 1) {
        const index = (at + n) % sides.length;
        const [url, pathOf] = sides[index] as (typeof sides)[number];
        rounds[index]?.push(await runRound(url, pathOf));
      }
  } finally {
    bare.signal("SIGKILL");
    await stopSide(side);
  }
  const ratio = (index: number) =>
    percentile(
      (rounds[index] ?? []).map((rate, n) => rate / (rounds[0]?.[n] ?? Number.NaN)),
      0.5,
    );
  return [
    {
      name: "products_asked_anew",
      value: ratio(1),
      bound: "a bare proxy of the same call (more is better)",
      floor: (value) => value > 0.2,
    },
    {
      name: "products_remembered",
      value: ratio(2),
      bound: "the same bare proxy (more is better)",
      floor: (value) => value > 0.8,
    },
  ];
}
