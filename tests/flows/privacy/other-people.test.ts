// What somebody chose as a name or a phone number stands in other people's data too, as a word, a
// number or a part of the JSON itself: neither an erasure nor an export may reach it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  dataRequestBody,
  findEverywhere,
  privacy,
  settled,
  startPrivacyService,
  redact,
} from "../../support/privacy.ts";
import { SHOP, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP, { support_email: "help@test-store.example" });
});
afterAll(() => service.stop());

const PHONE = "+49 151 12345678";
const DIGITS = "4915112345678";
const TABLES = [
  "integration_queue",
  "delivery_attempts",
  "webhook_inbox",
  "kv",
  "storefront_users",
] as const;

const query = (sql: string, params: unknown[] = []) => service.database.query(sql, params);

async function addAccount(email: string, first: string, last: string): Promise<number> {
  const [row] = await query(
    `INSERT INTO storefront_users (shop, email, full_name, first_name, last_name)
      VALUES ($1, $2, concat_ws(' ', $3::text, $4::text), $3, $4) RETURNING id`,
    [SHOP, email, first, last],
  );
  return row.id as number;
}

async function addMessage(
  eventId: string,
  payload: unknown,
  {
    source = "storefront",
    type = "order",
    id = eventId,
    status = "delivered",
    error = null as string | null,
  } = {},
): Promise<void> {
  await query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, transformed_payload, status, max_retries, next_attempt_at, archived_at, last_error)
      VALUES ($1, $2, 'unheard_of', $8, 'order.created', $3, $4, $5, '{"document":"x"}', $6, 3,
      now() + interval '1 hour', now(), $7)`,
    [SHOP, eventId, type, id, JSON.stringify(payload), status, error, source],
  );
}

const payloadOf = async (eventId: string) =>
  (await query("SELECT payload FROM integration_queue WHERE event_id = $1", [eventId]))[0]?.payload;

/** An order of another customer, with the words and numbers that orders have. */
const otherOrder = (email: string, id: number) => ({
  id,
  name: "#4915112345678",
  order_number: 4915112345678,
  confirmation_number: DIGITS,
  email,
  financial_status: "paid",
  tags: "Gift Card, true",
  note: "Paid by card. Call Ada Lovelace King first, timed out.",
  customer: { first_name: "Ada Lovelace", last_name: "King", email, verified_email: true },
  shipping_address: { name: "Ada Lovelace King", phone: PHONE, address1: "1 Secret Street" },
  billing_address: { first_name: "Ada", last_name: "Lovelace", address1: "1 Secret Street" },
  shipping_lines: [{ title: "Standard Shipping", code: "A" }],
  line_items: [
    {
      product_id: 4915112345678,
      sku: DIGITS,
      name: "Standard Shipping",
      title: "Gift Card",
      vendor: "A B",
    },
  ],
});

const snapshot = async () => {
  const rows: Record<string, unknown[]> = {};
  for (const table of TABLES)
    rows[table] = await query(
      `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE shop = $1
        AND NOT to_jsonb(t)::text LIKE ANY (ARRAY['%self-chosen%', '%lease:%', '%"status": "deleted"%', '%scheduled%',
          '%customer_erased%', '%customer.erased%', '%rate:%', '%retention:%', '%sync:%'])
        ORDER BY 1`,
      [SHOP],
    );
  const objects = [];
  for (const path of await service.objects.list("")) objects.push(path);
  return { rows, objects: objects.filter((path) => path.includes("other-")).sort() };
};

async function addOtherPeople(): Promise<void> {
  await addAccount("other1@shopper.example", "Ada Lovelace", "King");
  await addAccount("other2@shopper.example", "Other", "Person");
  for (const [at, email] of [
    "other1@shopper.example",
    "xself-chosen.other@shopper.example",
  ].entries()) {
    await addMessage(`other-${at}`, otherOrder(email, 77_001 + at), {
      status: at === 0 ? "pending" : "delivered",
    });
    await query(
      `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, error)
        VALUES ($1, 1, $2, 'erpsys', 1, 'failed', 5, $3)`,
      [SHOP, `other-${at}`, `400: {"customer": "Standard Shipping", "true": ${DIGITS}} timed out`],
    );
    await service.ctx.archive
      .ofStore(SHOP)
      .put(
        `events/unheard_of/${new Date().toISOString().slice(0, 10)}/other-${at}.json`,
        JSON.stringify(otherOrder(email, 1)),
      );
  }
  await service.ctx.archive
    .ofStore(SHOP)
    .put(`consent/checkpoints/${SHOP}/other-1.json`, '{"seq": 1, "hash": "abc", "signature": "x"}');
  await addMessage(
    "other-product",
    { title: "Standard Shipping", name: "Gift Card", sku: DIGITS, vendor: { name: "A B" } },
    { type: "product" },
  );
  await query(
    `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, next_attempt_at)
      VALUES ($1, 'other-inbox', 'orders/create', $2, 'failed', now())`,
    [SHOP, JSON.stringify(otherOrder("other2@shopper.example", 77_009))],
  );
  await query(
    `INSERT INTO kv (shop, key, value) VALUES ($1, 'password_link:other', $2), ($1, 'email_link:other', $3),
      ($1, 'connection_test:other', '{"name": "Standard Shipping", "number": 4915112345678}')`,
    [
      SHOP,
      JSON.stringify({ user_id: 999_001, epoch: null, purpose: "Gift Card" }),
      JSON.stringify({ user_id: 999_002, email: "other2@shopper.example", epoch: null }),
    ],
  );
}

beforeEach(async () => {
  for (const table of TABLES)
    await query(
      `DELETE FROM ${table} WHERE shop = $1 AND to_jsonb(${table})->>'key' IS DISTINCT FROM 'tenant:' || shop`,
      [SHOP],
    );
  for (const path of await service.objects.list("")) await service.objects.remove(path);
});

let people = 0;
const newEmail = () => `self-chosen.${(people += 1)}@evil.example`;

describe("an erasure", () => {
  it.each([
    [",", '"customer":'],
    ['"epoch":', "null,"],
    ['"seq":', "1,"],
    ["Standard", "Shipping"],
    ["Gift", "Card"],
    ["Paid by", "card"],
    ["timed", "out"],
    ["Paid", ""],
    ["true", ""],
    ["customer", "email"],
    ["A", "B"],
    ["A", ""],
    [".*", ".*"],
    ["Ada", "Lovelace"],
    [SHOP, ""],
  ])("of a person who is called %j %j changes nothing of other people", async (first, last) => {
    await addOtherPeople();
    const email = newEmail();
    const userId = await addAccount(email, first, last);
    await addMessage("self-chosen-order", {
      email,
      customer: { first_name: first, last_name: last },
    });
    const before = await snapshot();
    expect(await redact(service, { email })).toMatchObject({
      state: "done",
      evidence: { residual: 0 },
    });
    expect(await snapshot()).toEqual(before);
    expect(await payloadOf("self-chosen-order")).toEqual({});
    expect(
      (await query("SELECT status, full_name FROM storefront_users WHERE id = $1", [userId]))[0],
    ).toEqual({ status: "deleted", full_name: null });
  });

  it.each([[PHONE], [DIGITS], ["#4915112345678"]])(
    "of a person with the phone number %s changes no numbers of other people",
    async (phone) => {
      await addOtherPeople();
      const email = newEmail();
      const before = await snapshot();
      expect(await redact(service, { id: "555000111222", email, phone })).toMatchObject({
        state: "done",
        evidence: { residual: 0 },
      });
      expect(await snapshot()).toEqual(before);
    },
  );

  it("of an address leaves the longer addresses that contain it", async () => {
    const longer = [
      "aa@x.example",
      "b+a@x.example",
      "b.a@x.example",
      "o'a@x.example",
      "éa@x.example",
      "a@x.example.org",
      "a@x.examples",
      "a@x.example-b.org",
    ];
    for (const [at, email] of longer.entries())
      await addMessage(`other-${at}`, {
        email,
        link: `https://x.example/?e=${encodeURIComponent(email)}`,
      });
    await redact(service, { email: "a@x.example" });
    for (const [at, email] of longer.entries())
      expect(await payloadOf(`other-${at}`)).toMatchObject({ email });
  });
});

describe("an erasure finds the person", () => {
  it.each([
    ["as a value", (email: string) => JSON.stringify({ email })],
    ["in capitals", (email: string) => JSON.stringify({ email: email.toUpperCase() })],
    ["after a line break", (email: string) => JSON.stringify({ note: `from:\n${email}\nthanks` })],
    ["between escaped brackets", (email: string) => `{"from":"\\u003c${email}\\u003e"}`],
    [
      "with escaped signs",
      (email: string) => `{"from":"${email.replace("+", "\\u002B").replace("é", "\\u00E9")}"}`,
    ],
    ["in decomposed letters", (email: string) => JSON.stringify({ from: email.normalize("NFD") })],
    [
      "in a link",
      (email: string) =>
        JSON.stringify({ url: `https://x.example/?a=1&e=${encodeURIComponent(email)}&b=2` }),
    ],
    [
      "in an encoded link",
      (email: string) =>
        JSON.stringify({ url: encodeURIComponent(`https://x.example/?e=${email}`) }),
    ],
    [
      "at the end of a sentence",
      (email: string) => JSON.stringify({ note: `Write to '${email}'. Or ${email}.` }),
    ],
  ])("whose address stands %s", async (_, write) => {
    const email = "rené+shop@x.example";
    await query(
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, next_attempt_at)
        VALUES ($1, 'inbox-address', 'orders/create', $2, 'failed', now())`,
      [SHOP, write(email)],
    );
    await redact(service, { email });
    expect(
      await query("SELECT body FROM webhook_inbox WHERE delivery_id = 'inbox-address'"),
    ).toEqual([{ body: "" }]);
  });

  it("by name and phone number where nobody else is named, and masks these values only", async () => {
    const email = newEmail();
    await addAccount(email, "Zoé", "Müller");
    const values = {
      id: 7,
      total: 12.5,
      customer: { first_name: "zoé", last_name: "MÜLLER" },
      shipping_address: {
        name: " Zoe\u0301  Mu\u0308ller",
        phone: "0049 (151) 1234-5678",
        city: "Bern",
      },
      note_attributes: [
        { name: "Recipient", value: "Zoé Müller" },
        { name: "Color", value: "Zoé Müller" },
      ],
      contact: "+49 151 12345678",
      line_items: [{ name: "Zoé Müller", title: "Zoé Müller", product_id: 4915112345678 }],
    };
    await addMessage("order-without-address", values, {
      status: "dead_letter",
      error: 'refused "Zoé Müller"',
    });
    const raw =
      '{"id":706405506930370999,"shipping_address":{"name":"Zo\\u00e9 M\\u00fcller","phone":4915112345678},"total":1.00}';
    await query(
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, next_attempt_at)
        VALUES ($1, 'inbox-name', 'orders/create', $2, 'failed', now())`,
      [SHOP, raw],
    );
    const path = `events/unheard_of/${new Date().toISOString().slice(0, 10)}/order-without-address.json`;
    await service.ctx.archive.ofStore(SHOP).put(path, JSON.stringify(values));
    await query(
      `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, error)
        VALUES ($1, 1, 'order-without-address', 'erpsys', 1, 'failed', 5, 'refused Zoé Müller')`,
      [SHOP],
    );
    expect(await redact(service, { email, phone: PHONE })).toMatchObject({
      state: "done",
      evidence: { residual: 0 },
    });
    expect(await payloadOf("order-without-address")).toMatchObject({
      id: 7,
      customer: { first_name: "redacted", last_name: "redacted" },
      shipping_address: { name: "redacted", phone: "redacted", city: "Bern" },
      note_attributes: [
        { name: "Recipient", value: "redacted" },
        { name: "Color", value: "Zoé Müller" },
      ],
      contact: "redacted",
      line_items: [{ name: "Zoé Müller", title: "Zoé Müller", product_id: 4915112345678 }],
    });
    expect(await query("SELECT body FROM webhook_inbox WHERE delivery_id = 'inbox-name'")).toEqual([
      {
        body: '{"id":706405506930370999,"shipping_address":{"name":"redacted","phone":"redacted"},"total":1.00}',
      },
    ]);
    expect(
      await query(
        "SELECT last_error FROM integration_queue WHERE event_id = 'order-without-address'",
      ),
    ).toEqual([{ last_error: "redacted" }]);
    expect(
      await query("SELECT error FROM delivery_attempts WHERE event_id = 'order-without-address'"),
    ).toEqual([{ error: null }]);
    expect(await service.objects.list("")).toEqual([]);
  });

  it("by name beside the number that another system gave them", async () => {
    const email = newEmail();
    await addAccount(email, "Zoé", "Foreign");
    const values = { customer_id: 1001, customer_name: "Zoé Foreign", total: 5 };
    await addMessage("order-of-the-erp", values, { source: "erp" });
    await redact(service, { email });
    expect(await payloadOf("order-of-the-erp")).toEqual({
      customer_id: 1001,
      customer_name: "redacted",
      total: 5,
    });
  });

  it("by phone number alone, where the request names nothing else", async () => {
    await addMessage("order-by-phone", {
      email: "guest@x.example",
      shipping_address: { phone: PHONE, city: "Bern" },
      product_id: 4915112345678,
    });
    await redact(service, { phone: "0049151 12345678" });
    expect(await payloadOf("order-by-phone")).toEqual({
      email: "guest@x.example",
      shipping_address: { phone: "redacted", city: "Bern" },
      product_id: 4915112345678,
    });
    expect(await findEverywhere(service, ["151 1234"])).toEqual([]);
  });
});

describe("an export", () => {
  it("has no rows of other people who have the phone number or the name", async () => {
    await addOtherPeople();
    const email = newEmail();
    await addAccount(email, "Standard", "Shipping");
    const { json } = await privacy(
      service,
      "data-request",
      dataRequestBody({ id: "555000111222", email, phone: PHONE }),
    );
    const { evidence } = await settled(service, json.request_id);
    expect(evidence.exported).toMatchObject({ accounts: 1, deliveries: 0, events: 0 });
    const file = await service.ctx.archive
      .ofStore(SHOP)
      .get(`gdpr/${SHOP}/${json.request_id}.json`);
    expect(file?.toString("utf8")).not.toMatch(/other\d@|Secret Street/);
  });
});
