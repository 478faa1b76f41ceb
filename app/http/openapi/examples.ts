// Examples of requests and responses, made from their schemas, so that none is forgotten or outdated:
// a field has the value that example-values.ts gives its name, or one of its type.
import { EXAMPLE_VALUES } from "./example-values.ts";
import { resolveSchema, type JsonSchema } from "./json-schemas.ts";

type Schemas = Record<string, JsonSchema>;

const OF_FORMAT: Record<string, string> = {
  "date-time": "2026-11-20T09:30:00.000Z",
  date: "2026-11-20",
  uuid: "0b9b6f5e-1c1f-4e57-9d8a-3f4f0a9f7c11",
  email: "ada@example.com",
  uri: "https://store.example/page",
};
const OF_TYPE: Record<string, unknown> = {
  string: "text",
  integer: 1,
  number: 1,
  boolean: true,
  null: null,
};

/** `name` is the field that the value stands in. */
export function exampleOf(given: JsonSchema, components: Schemas, name = ""): unknown {
  const schema = resolveSchema(given, components);
  if (Array.isArray(schema.examples)) return schema.examples[0];
  if ("const" in schema) return schema.const;
  const known = EXAMPLE_VALUES[name];
  if (known !== undefined && isOfType(known, schema)) return known;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) {
    const choice = choices.find(({ type }) => type !== "null") ?? {};
    return exampleOf(choice, components, name);
  }
  const [type] = typesOf(schema);
  if (type === "array") return [exampleOf(schema.items as JsonSchema, components, name)];
  if (type === "object") return objectExample(schema, components);
  return OF_FORMAT[schema.format as string] ?? schema.minimum ?? OF_TYPE[type as string] ?? {};
}

const typesOf = ({ type }: JsonSchema): string[] => [type ?? []].flat() as string[];

function objectExample(schema: JsonSchema, components: Schemas): object {
  const properties = Object.entries((schema.properties ?? {}) as Schemas);
  const of = (entries: [string, JsonSchema][]) =>
    Object.fromEntries(entries.map(([name, of]) => [name, exampleOf(of, components, name)]));
  if (properties.length > 0) return of(properties);
  const { enum: names = [] } = (schema.propertyNames ?? {}) as { enum?: string[] };
  const values = schema.additionalProperties as JsonSchema | undefined;
  return values ? of(names.map((name) => [name, values])) : {};
}

/** Whether the value that belongs to the name is one of this schema. */
function isOfType(value: unknown, schema: JsonSchema): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return choices.some((choice) => isOfType(value, choice));
  if (schema.properties) return false;
  const types = typesOf(schema);
  if (value === null) return types.includes("null");
  if (Array.isArray(value))
    return types.includes("array") && isOfType(value[0], schema.items as JsonSchema);
  if (types.includes("integer") && Number.isInteger(value)) return true;
  return types.length === 0 ? !("$ref" in schema) : types.includes(typeof value);
}
