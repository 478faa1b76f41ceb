// A typed client of the service. `openapi.d.ts` beside it is made from /openapi.json by
// `npm run examples`, or by hand: npx openapi-typescript <service>/openapi.json -o openapi.d.ts
import createClient from "openapi-fetch";
import type { paths } from "./openapi.d.ts";

export const SERVICE_URL = process.env.SERVICE_URL ?? "http://127.0.0.1:3000";
export const SHOP = process.env.SHOP ?? "demo-store.myshopify.com";

/** `token`: a session token, an agent's access token, or the admin key. */
export const connect = (token?: string) =>
  createClient<paths>({
    baseUrl: SERVICE_URL,
    headers: {
      "X-Storefront-Shop-Domain": SHOP,
      ...(token && { Authorization: `Bearer ${token}` }),
    },
  });

/** The data of a response; throws the service's own words for an error. */
export function expectData<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(`the service refused: ${JSON.stringify(error)}`);
  return data;
}
