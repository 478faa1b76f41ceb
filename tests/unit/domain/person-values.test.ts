// Which values of a document are a person's name or phone number, and which only look like one.
import { describe, expect, it } from "vitest";
import {
  foldName,
  foldPhone,
  maskValues,
  namesCustomer,
  parseDocument,
} from "../../../app/domain/compliance/personal-values/person-values.ts";
import {
  addressSpelling,
  customerIdSpelling,
  nameBounds,
  nameSpelling,
  phoneSpelling,
  type Spelling,
} from "../../../app/domain/compliance/personal-values/spellings.ts";

const ADA = {
  names: new Set([foldName("Ada Lovelace")]),
  phones: new Set([foldPhone("+44 20 7946 0018") ?? ""]),
};

function mask(text: string): string {
  const document = parseDocument(text);
  return maskValues(document, ADA) > 0 ? JSON.stringify(document) : "unchanged";
}

const isLike = (like: string, text: string) =>
  new RegExp(`^${like.replaceAll("+", "\\+").replaceAll("%", ".*")}$`, "s").test(
    text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );

/** As the database does: the expression is asked only about a text that the LIKE pattern matches. */
function finds({ pattern, like }: Spelling, text: string): boolean {
  const isFound = new RegExp(pattern, "i").test(text);
  if (isFound) expect([text, isLike(like, text)]).toEqual([text, true]);
  return isFound;
}

describe("a person's values", () => {
  it.each([
    ['{"full_name":"ada  LOVELACE"}', '{"full_name":"redacted"}'],
    ['{"customer":{"name":"Ada Lovelace"}}', '{"customer":{"name":"redacted"}}'],
    ['{"addresses":[{"name":"Ada Lovelace"}]}', '{"addresses":[{"name":"redacted"}]}'],
    ['{"NAME1":"Ada Lovelace","STREET":"x"}', '{"NAME1":"redacted","STREET":"x"}'],
    ['{"FirstName":"Ada","LastName":"Lovelace"}', '{"FirstName":"redacted","LastName":"redacted"}'],
    ['{"phone":"+44 (0)20 7946-0018"}', '{"phone":"redacted"}'],
    ['{"phone":442079460018}', '{"phone":"redacted"}'],
    ['{"phones":["0044 20 7946 0018"]}', '{"phones":["redacted"]}'],
    ['{"TELF1":"442079460018"}', '{"TELF1":"redacted"}'],
    ['{"to":"+442079460018"}', '{"to":"redacted"}'],
    [
      '{"attributes":[{"key":"Phone","value":"442079460018"}]}',
      '{"attributes":[{"key":"Phone","value":"redacted"}]}',
    ],
  ])("are masked in %s", (text, masked) => {
    expect(mask(text)).toBe(masked);
  });

  it.each([
    '{"name":"Ada Lovelace"}',
    '{"title":"Ada Lovelace","vendor":"Ada Lovelace"}',
    '{"line_items":[{"name":"Ada Lovelace","sku":"442079460018","product_id":442079460018}]}',
    '{"tags":["Ada Lovelace"],"store":{"name":"Ada Lovelace"}}',
    '{"Ada Lovelace":"customer"}',
    '{"customer":{"name":"Ada Lovelace King"}}',
    '{"first_name":"Ada"}',
    '{"first_name":"Ada","last_name":"King"}',
    '{"note":"from Ada Lovelace, +44 20 7946 0018"}',
    '{"order_number":"442079460018","hotel":"442079460018"}',
    '{"phone":"+44 20 7946 00180"}',
    '{"phone":"#442079460018"}',
    '"Ada Lovelace"',
    "no JSON: Ada Lovelace",
  ])("are not in %s", (text) => {
    expect(mask(text)).toBe("unchanged");
  });

  it("are masked without a change to any number", () => {
    expect(mask('{"id":706405506930370999,"total":1.00,"phone":"+442079460018"}')).toBe(
      '{"id":706405506930370999,"total":1.00,"phone":"redacted"}',
    );
  });
});

describe("a document names a customer", () => {
  const isNamed = (text: string, hasForeignNumbers = false) =>
    namesCustomer(parseDocument(text), {
      storeAddresses: new Set(["help@store.example"]),
      hasForeignNumbers,
    });

  it.each([
    '{"contact":{"mail":"Other@x.example"}}',
    '{"note":"write to other@x.example"}',
    '{"customer":{"id":7}}',
    '{"customer_id":"7"}',
    '{"owner":"gid://shopify/Customer/7"}',
  ])("by %s", (text) => expect(isNamed(text)).toBe(true));

  it.each([
    '{"id":7,"customer":{"first_name":"Ada"}}',
    '{"customer":null,"customer_id":null,"email":""}',
    '{"support":"Help@store.example"}',
    '{"line_items":[{"id":7,"product_id":7}]}',
    '{"customer_id":"BP-1001"}',
  ])("not by %s", (text) => expect(isNamed(text)).toBe(false));

  it.each(['{"customer_id":1001}', '{"customer":{"id":"1001"}}'])(
    "not by another system's number: %s",
    (text) => expect(isNamed(text, true)).toBe(false),
  );
});

describe("a pattern", () => {
  const written = [
    '{"a":"Zoé Müller"}',
    '{"a":"Zo\\u00e9 M\\u00FCller"}',
    JSON.stringify({ a: "Zoé Müller".normalize("NFD") }),
    '{"first":"Zoé","last":"Müller"}',
  ];
  it.each(written)("of a name finds the row with %s", (text) => {
    const { begins, ends } = nameBounds("Zoé Müller");
    expect([finds(begins, text), finds(ends, text)]).toEqual([true, true]);
  });

  it.each(['John "Jack" O\\Neil/Smith', "A B", "李 小龙", "Łukasz Żak", "😀 Smith"])(
    "of the name %s finds it as JSON writes it",
    (name) => {
      const { begins, ends } = nameBounds(name);
      for (const text of [
        JSON.stringify({ name }),
        JSON.stringify({ name }).replaceAll("/", "\\/"),
        JSON.stringify([name.toUpperCase()]),
      ])
        expect([finds(begins, text), finds(ends, text)]).toEqual([true, true]);
    },
  );

  it("of a name in a sentence finds it whole, and not inside a longer word", () => {
    const pattern = nameSpelling("Anna Maria");
    expect(
      ["for ANNA  Maria.", "Anna Maria", '"Anna Maria"'].every((text) => finds(pattern, text)),
    ).toBe(true);
    expect(
      ["Anna Mariana", "Joanna Maria", "Anna, Maria"].some((text) => finds(pattern, text)),
    ).toBe(false);
  });

  it("of a name of any length is short enough for a database", () => {
    const { begins, ends } = nameBounds(`${"é".repeat(400)} ${"ü".repeat(400)}`);
    expect([begins, ends].map(({ pattern }) => pattern.length < 5_000)).toEqual([true, true]);
  });

  it.each([
    "ZOË.O'Brien+b@x-1.Example",
    "zo%C3%AB.o%27brien%2Bb%40x-1.example",
    '{"a":"Zo\\u00eb.O\\u0027Brien\\u002bb\\u0040x-1.example"}',
    `<${"zoë.o'brien+b@x-1.example".normalize("NFD")}>`,
  ])("of an address finds it in the spelling %s", (text) => {
    expect(finds(addressSpelling("zoë.o'brien+b@x-1.example"), text)).toBe(true);
    expect(finds(addressSpelling("zoë.o'brien+c@x-1.example"), text)).toBe(false);
  });

  it.each(["gid://shopify/Customer/1001", '{"customer_id": "1001"}', '{"id":1001}'])(
    "of a customer's number finds %s",
    (text) => {
      expect(finds(customerIdSpelling("1001"), text)).toBe(true);
      expect(finds(customerIdSpelling("100"), text)).toBe(false);
    },
  );

  it("of a phone number finds it in any notation, and no other digits", () => {
    const phone = phoneSpelling("442079460018");
    expect(["+442079460018", "call +44 20 7946-0018."].map((text) => finds(phone, text))).toEqual([
      true,
      true,
    ]);
    expect(["442079460018", "+4420794600181"].map((text) => finds(phone, text))).toEqual([
      false,
      false,
    ]);
  });

  it("of an address takes linear time over an archived object", () => {
    const pattern = addressSpelling("ada+b@x.example");
    for (const part of ["ada", "ada+b@", "\\n", "'a", "%20ada+", "\\u003c"]) {
      const start = performance.now();
      expect(finds(pattern, part.repeat(200_000))).toBe(false);
      expect(performance.now() - start).toBeLessThan(2_000);
    }
  });
});
