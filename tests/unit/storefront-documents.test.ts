import { readFileSync } from "node:fs";
import { buildSchema, parse, TypeInfo, validate, visit, visitWithTypeInfo } from "graphql";
import type { GraphQLEnumType, GraphQLSchema } from "graphql";
import { describe, expect, it } from "vitest";
import { COUNTRY_CODES } from "../../app/domain/commerce/cart/country-codes.ts";
import { CART_DOCUMENTS } from "../../app/integrations/storefront/commerce-documents.ts";
import { STOREFRONT_DOCUMENTS } from "../../app/integrations/storefront/documents.ts";

// Deprecated everywhere, but the replacement exists only from 2026-10.
const NO_REPLACEMENT_YET = [
  "CustomerPhoneNumber.marketingState",
  "CustomerPhoneNumber.marketingUpdatedAt",
];
// A line's own discounts with its share of the cart's (`lineLevelOnly: false`) exist only from 2026-07.
const NO_CART_REPLACEMENT_YET = ["Cart.discountAllocations"];

describe.each(["2026-04", "2026-07"])("Admin API %s", (version) => {
  const sdl = readFileSync(
    new URL(
      `../../app/sandbox/storefront/graphql/schema/admin-${version}.graphql`,
      import.meta.url,
    ),
    "utf8",
  );
  const schema = buildSchema(sdl);

  it.each(Object.entries(STOREFRONT_DOCUMENTS))("accepts %s", (_name, text) => {
    expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  });

  it.each(Object.entries(STOREFRONT_DOCUMENTS))(
    "%s uses no deprecated field that has a replacement",
    (_name, text) => {
      expect(
        deprecatedUses(schema, text).filter((use) => !NO_REPLACEMENT_YET.includes(use)),
      ).toEqual([]);
    },
  );

  it("still needs every exception listed here", () => {
    const uses = Object.values(STOREFRONT_DOCUMENTS).flatMap((text) =>
      deprecatedUses(schema, text),
    );
    expect(NO_REPLACEMENT_YET.filter((exception) => !uses.includes(exception))).toEqual([]);
  });
});

it.each(Object.entries(CART_DOCUMENTS))("the Storefront API accepts %s", (_name, text) => {
  const schema = cartSchema();
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([]);
  const uses = deprecatedUses(schema, text);
  expect(uses.filter((use) => !NO_CART_REPLACEMENT_YET.includes(use))).toEqual([]);
});

it("still needs every exception of the Storefront API", () => {
  const uses = Object.values(CART_DOCUMENTS).flatMap((text) => deprecatedUses(cartSchema(), text));
  expect(NO_CART_REPLACEMENT_YET.filter((exception) => !uses.includes(exception))).toEqual([]);
});

it("knows every country of the Storefront API, but the unknown one", () => {
  const type = cartSchema().getType("CountryCode") as GraphQLEnumType;
  const names = type.getValues().map(({ name }) => name);
  expect(names.filter((name) => name !== "ZZ").sort()).toEqual([...COUNTRY_CODES].sort());
});

it("every document has one operation, named like its key", () => {
  const documents = { ...STOREFRONT_DOCUMENTS, ...CART_DOCUMENTS };
  const names = Object.values(documents).map(
    (text) => /^(?:query|mutation) (\w+)/.exec(text)?.[1] ?? "",
  );
  const expected = Object.keys(documents).map((key) => key.toLowerCase().replaceAll("_", ""));
  expect(names.map((name) => name.toLowerCase())).toEqual(expected);
});

function cartSchema(): GraphQLSchema {
  const file = "../../app/sandbox/storefront/graphql/schema/cart-2026-04.graphql";
  return buildSchema(readFileSync(new URL(file, import.meta.url), "utf8"));
}

function deprecatedUses(schema: GraphQLSchema, text: string): string[] {
  const uses: string[] = [];
  const typeInfo = new TypeInfo(schema);
  const note = (
    owner: string | undefined,
    element: { name: string; deprecationReason?: string | null } | null | undefined,
  ): void => {
    if (element?.deprecationReason) uses.push(`${owner}.${element.name}`);
  };
  visit(
    parse(text),
    visitWithTypeInfo(typeInfo, {
      Field: () => note(typeInfo.getParentType()?.name, typeInfo.getFieldDef()),
      Argument: () => note(typeInfo.getFieldDef()?.name, typeInfo.getArgument()),
      EnumValue: () => note("enum", typeInfo.getEnumValue()),
    }),
  );
  return uses;
}
