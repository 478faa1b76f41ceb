// The ERP's documents: their content, and that no shopper's text changes their structure.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import {
  requireOrganisation,
  toSalesOrder,
  toXml,
} from "../../app/domain/channels/erp/documents.ts";
import { decimalOf, multiply, textOf } from "../../app/domain/channels/payload-fields.ts";
import type { ErpDocument } from "../../app/sandbox/systems/erp.ts";
import { SECRETS, startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { SHOP } from "../support/service.ts";

let app: ChannelApp;
beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

const GID = "gid://shopify/Customer/9007199254740993";
const ORDER = {
  admin_graphql_api_id: "gid://shopify/Order/820982911946154508",
  name: "#1001",
  created_at: "2026-02-28T23:30:00-05:00",
  currency: "EUR",
  total_price: "1234567890123456.78",
  customer: { admin_graphql_api_id: GID, email: "ann@example.com" },
  line_items: [
    { sku: "CAM-9", title: "Camera", quantity: 2, price: "99.50" },
    { variant_id: "49148385", title: "Gift", quantity: 1, price: "0.10" },
  ],
};

const configure = (fields: Record<string, unknown>) =>
  app.service.call("POST", `/config?shop=${SHOP}`, { body: fields });

async function deliver(
  entity: string,
  payload: Record<string, unknown>,
  id = "gid://shopify/Order/820982911946154508",
) {
  const eventId = randomUUID();
  await enqueue(app.service.ctx.home.forTenant(SHOP).sql, {
    eventId,
    source: "storefront",
    eventType: `${entity}.created`,
    entityType: entity,
    entityId: id,
    payload,
    occurredAt: new Date("2026-03-01T10:00:00Z"),
    destinations: ["erpsys"],
  });
  return { eventId, ...(await app.settled(eventId)) };
}
const last = () => app.service.sandbox.erp.documents().at(-1) as ErpDocument;
const lastRequest = () => app.service.sandbox.requests("erp").at(-1);

describe("an order", () => {
  test("is a sales order with the organisation, the event's id and unchanged amounts", async () => {
    const { eventId, status } = await deliver("order", ORDER);
    expect(status).toBe("delivered");
    expect(last()).toMatchObject({ path: "/A_SalesOrder", method: "POST", format: "json" });
    expect(last().body).toEqual({
      bukrs: "1000",
      vkorg: "1010",
      vtweg: "10",
      SalesOrderType: "OR",
      SalesOrganization: "1010",
      DistributionChannel: "10",
      ExternalDocumentID: eventId,
      PurchaseOrderByCustomer: "#1001",
      SalesOrderDate: "2026-02-28",
      BusinessPartnerIDByExtSystem: "9007199254740993",
      TransactionCurrency: "EUR",
      TotalNetAmount: "1234567890123456.78",
      to_Item: [
        {
          SalesOrderItem: "10",
          Material: "CAM-9",
          SalesOrderItemText: "Camera",
          RequestedQuantity: "2",
          NetPriceAmount: "99.50",
          TransactionCurrency: "EUR",
        },
        {
          SalesOrderItem: "20",
          Material: "49148385",
          SalesOrderItemText: "Gift",
          RequestedQuantity: "1",
          NetPriceAmount: "0.10",
          TransactionCurrency: "EUR",
        },
      ],
    });
  });

  test("is sent with the store's credentials and one idempotency key for all attempts", async () => {
    app.service.sandbox.failNext("erp", { dropReply: true });
    const eventId = randomUUID();
    await enqueue(app.service.ctx.home.forTenant(SHOP).sql, {
      eventId,
      source: "storefront",
      eventType: "order.created",
      entityType: "order",
      entityId: "1",
      payload: ORDER,
      occurredAt: new Date(),
      destinations: ["erpsys"],
    });
    await app.settled(eventId);
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
    const sent = app.service.sandbox.requests("erp").slice(-2);
    expect(sent.map(({ headers }) => headers["idempotency-key"])).toEqual([
      `${eventId}:erpsys`,
      `${eventId}:erpsys`,
    ]);
    expect(sent[1]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`crm:${SECRETS.erp_password}`).toString("base64")}`,
    );
  });

  test("takes the organisation from the event before the store's own, and a number as text", async () => {
    await deliver("order", { ...ORDER, vkorg: 2020, erp: { bukrs: "2000", vkorg: "ignored" } });
    expect(last().body).toMatchObject({ bukrs: "2000", vkorg: "2020", vtweg: "10" });
  });
});

test("the platform's credentials are sent to the platform's address only, never to one that a store configured", async () => {
  const platform = (fields: Record<string, unknown>) =>
    app.service.call("POST", "/platform/config", { body: fields });
  const { erpBaseUrl } = app.service.sandbox.addresses;
  await platform({
    erp_base_url: `${erpBaseUrl}/platform`,
    erp_username: "platform",
    erp_password: "platform-secret-0123",
  });
  await configure({
    erp_base_url: null,
    erp_username: null,
    erp_password: null,
    access_role: "creator",
  });
  expect(await deliver("order", ORDER)).toMatchObject({ status: "delivered" });
  expect(lastRequest()).toMatchObject({
    path: "/platform/A_SalesOrder",
    headers: {
      authorization: `Basic ${Buffer.from("platform:platform-secret-0123").toString("base64")}`,
    },
  });
  await configure({ erp_base_url: `${erpBaseUrl}/stores-own` });
  expect(await deliver("order", ORDER)).toMatchObject({
    status: "dead_letter",
    last_error: expect.stringContaining("401"),
  });
  expect(lastRequest()?.path).toBe("/stores-own/A_SalesOrder");
  expect(lastRequest()?.headers.authorization).toBeUndefined();
});

describe("the required fields", () => {
  test.each([
    [{ bukrs: "1000", vtweg: "10" }, {}, "missing required field: vkorg"],
    [null, {}, "missing required field: bukrs, vkorg, vtweg"],
    [null, { bukrs: "1", vkorg: " ", erp: { vtweg: "" } }, "missing required field: vkorg, vtweg"],
  ])(
    "of %j and %j make a dead letter at once that names what is missing",
    async (defaults, payload, message) => {
      await configure({ erp_defaults: defaults });
      const before = app.calls("erpsys");
      expect(await deliver("order", { ...ORDER, ...payload })).toMatchObject({
        status: "dead_letter",
        retry_count: 1,
        last_error: message,
      });
      expect(app.calls("erpsys")).toBe(before);
    },
  );

  test("are never read from a prototype", () => {
    expect(() =>
      requireOrganisation(
        JSON.parse('{"__proto__":{"bukrs":"1","vkorg":"1","vtweg":"1"}}') as Record<
          string,
          unknown
        >,
      ),
    ).toThrow("bukrs, vkorg, vtweg");
  });
});

describe("a customer", () => {
  test("that the storefront names is a business partner, with the event's values before ours", async () => {
    const userId = await addCustomer(app.service.database, SHOP, { email: "ann@example.com" });
    await app.service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $1, language_pref = 'de' WHERE id = $2",
      [GID, userId],
    );
    const { eventId } = await deliver(
      "customer",
      {
        first_name: "Anna",
        phone: "+49 30 1",
        default_address: { country_code: "DE", city: "Berlin", zip: "10115", address1: "Allee 1" },
      },
      GID,
    );
    expect(last().path).toBe("/A_BusinessPartner");
    expect(last().body).toEqual({
      bukrs: "1000",
      vkorg: "1010",
      vtweg: "10",
      ExternalDocumentID: eventId,
      BusinessPartnerCategory: "1",
      BusinessPartnerIDByExtSystem: "9007199254740993",
      FirstName: "Anna",
      LastName: "Example",
      CorrespondenceLanguage: "DE",
      to_BusinessPartnerAddress: [
        {
          Country: "DE",
          CityName: "Berlin",
          PostalCode: "10115",
          StreetName: "Allee 1",
          to_EmailAddress: [{ EmailAddress: "ann@example.com" }],
          to_MobilePhoneNumber: [{ PhoneNumber: "+49 30 1" }],
        },
      ],
      to_Customer: {
        to_CustomerCompany: [{ CompanyCode: "1000" }],
        to_CustomerSalesArea: [{ SalesOrganization: "1010", DistributionChannel: "10" }],
      },
    });
  });

  test("of which only the id is known is skipped", async () => {
    const before = app.calls("erpsys");
    expect(await deliver("customer", {}, "gid://shopify/Customer/4")).toMatchObject({
      status: "delivered",
    });
    expect(app.calls("erpsys")).toBe(before);
  });
});

test("an invoice is a billing document, and other types are rejected by name", async () => {
  await deliver(
    "invoice",
    { number: "R-7", total: { amount: "19.90", currency: "EUR" }, order_id: "1001" },
    "inv-7",
  );
  expect(last()).toMatchObject({
    path: "/A_BillingDocument",
    body: {
      BillingDocument: "R-7",
      CompanyCode: "1000",
      TotalNetAmount: "19.90",
      TransactionCurrency: "EUR",
      BillingDocumentDate: "2026-03-01",
    },
  });
  expect(await deliver("product", {}, "p")).toMatchObject({
    status: "dead_letter",
    last_error: "erpsys takes customers, orders and invoices, not product",
  });
});

describe("as XML", () => {
  const NASTY = [
    "a ]]> b",
    "Tom & Jerry <b>",
    "\u0001\u000b\u001f bell",
    "<![CDATA[x",
    "</PurchaseOrderByCustomer><evil/>",
    "\ufffe sign",
    "'\"",
    "ünïcødé 😀",
  ];

  test.each(NASTY)(
    "%j does not change the document's structure, and the ERP finds it well formed",
    async (nasty) => {
      await configure({ erp_format: "xml" });
      const row = await deliver("order", {
        ...ORDER,
        name: nasty,
        line_items: [{ sku: nasty, title: nasty, quantity: 1, price: "1.00" }],
      });
      expect(row).toMatchObject({ status: "delivered" });
      expect(last()).toMatchObject({ path: "/A_SalesOrder", format: "xml" });
      const xml = String(last().body);
      expect(lastRequest()?.headers["content-type"]).toBe("application/xml");
      expect(xml).toMatch(
        /^<\?xml version="1.0" encoding="UTF-8"\?><A_SalesOrder><bukrs>1000<\/bukrs><vkorg>1010<\/vkorg><vtweg>10<\/vtweg>/,
      );
      expect(xml).toContain(`<ExternalDocumentID>${row.eventId}</ExternalDocumentID>`);
      expect([...xml.matchAll(/<([A-Za-z_]+)>/g)].map(([, name]) => name)).not.toContain("evil");
      expect(xml.match(/<item>/g)).toHaveLength(1);
      expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    },
  );

  test("lists become items, and an invalid element name is rejected", () => {
    expect(toXml("A", { b: [{ c: "1" }, { c: "2" }], d: {} })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><A><b><item><c>1</c></item><item><c>2</c></item></b><d/></A>',
    );
    expect(toXml("A", { b: "x\ud800y" })).toContain("<b>xy</b>");
    expect(() => toXml("A", { "b><c": "1" })).toThrow("cannot be the name of an element");
  });
});

test("a gateway that requires a CSRF token gets the document again with it and with its session", async () => {
  const seen: Record<"method" | "url" | "token" | "cookie" | "key", unknown>[] = [];
  const server = createServer((request, response) => {
    const { "x-csrf-token": token, cookie, "idempotency-key": key } = request.headers;
    seen.push({ method: request.method, url: request.url, token, cookie, key });
    request.resume().once("end", () => {
      if (request.method === "GET")
        return response
          .writeHead(200, {
            "x-csrf-token": "t0ken",
            "set-cookie": ["SAP_SESSION=s; path=/", "other=1"],
          })
          .end("{}");
      return token === "t0ken"
        ? response.writeHead(201).end("{}")
        : response.writeHead(403, { "x-csrf-token": "Required" }).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  await configure({
    erp_base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sap/?sap-client=100`,
  });
  const { eventId, status } = await deliver("order", ORDER);
  server.closeAllConnections();
  server.close();
  expect(status).toBe("delivered");
  expect(seen).toMatchObject([
    { method: "POST" },
    { method: "GET", token: "Fetch" },
    { method: "POST", token: "t0ken", cookie: "SAP_SESSION=s; other=1", key: `${eventId}:erpsys` },
  ]);
  // All of them at the SAP client of the address.
  for (const { url } of seen) expect(url).toMatch(/^\/sap\/[\w/]*\?sap-client=100$/);
});

describe("amounts and ids", () => {
  test.each([
    ["398.00", "398.00"],
    [19.9, "19.9"],
    ["-5.10", "-5.10"],
    ["1e3", null],
    [1e21, null],
    ["12,50", null],
    [Number.NaN, null],
    [{}, null],
    [Number("9007199254740993"), null],
  ])("%j is read as %j", (value, read) => {
    expect(decimalOf(value)).toBe(read);
  });

  test("a price times a quantity is exact", () => {
    expect([
      multiply("0.10", "3"),
      multiply("1234567890123456.78", "1000"),
      multiply("-5.05", "2"),
      multiply("7", "0"),
      multiply("0.01", "1"),
    ]).toEqual(["0.30", "1234567890123456780.00", "-10.10", "0", "0.01"]);
  });

  test("a number that lost digits is not an id", () => {
    expect([
      textOf(9007199254740991),
      textOf(Number("9007199254740993")),
      textOf("9007199254740993"),
    ]).toEqual(["9007199254740991", null, "9007199254740993"]);
  });

  test("an order without lines has none", () => {
    const empty = toSalesOrder(
      { bukrs: "1", vkorg: "2", vtweg: "3" },
      {
        eventId: "e",
        entityId: "gid://shopify/Order/7",
        payload: {},
        occurredAt: new Date("2026-01-02T00:00:00Z"),
      },
    );
    expect(empty).toMatchObject({
      PurchaseOrderByCustomer: "7",
      SalesOrderDate: "2026-01-02",
      to_Item: [],
    });
  });
});
