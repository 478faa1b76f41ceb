// The upper bound of the catalog: node:http forwarding the same GraphQL call unchanged. No tenant,
// no checks, no mapping.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request as send } from "undici";
import { PRODUCTS } from "../../../app/integrations/storefront/commerce-documents.ts";

const { STOREFRONT_URL = "", TOKEN = "" } = process.env;
const dispatcher = new Agent({ connections: 64 });
const headers = { "Content-Type": "application/json", "X-Shopify-Access-Token": TOKEN };
const body = JSON.stringify({
  query: PRODUCTS,
  variables: { first: 20, after: null, query: "status:active published_status:published camera" },
});
const server = createServer((_request, response) => {
  send(STOREFRONT_URL, { method: "POST", headers, body, dispatcher }).then(
    async (answer) =>
      response
        .writeHead(answer.statusCode, { "Content-Type": "application/json" })
        .end(await answer.body.text()),
    () => response.writeHead(502).end(),
  );
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
