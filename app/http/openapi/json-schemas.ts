// The JSON Schemas of the document: a zod schema with an id stands once, in the components.
import { z } from "zod";

export type JsonSchema = { [keyword: string]: unknown };

const COMPONENT = "#/components/schemas/";

export type JsonSchemas = {
  /** Every schema with an id that was converted so far. */
  components: Record<string, JsonSchema>;
  convert(schema: z.ZodType): JsonSchema;
};

export function createJsonSchemas(): JsonSchemas {
  const components: Record<string, JsonSchema> = {};
  return {
    components,
    convert(schema) {
      const {
        $schema: _,
        $defs = {},
        ...converted
      } = z.toJSONSchema(schema, {
        // As a client writes it. For responses too: they may get further members in time.
        io: "input",
        unrepresentable: "any",
        target: "draft-2020-12",
        override: ({ jsonSchema }) => {
          // The format says it; the pattern of a calendar is 300 characters.
          if (jsonSchema.format === "date-time" || jsonSchema.format === "date")
            delete jsonSchema.pattern;
        },
      }) as JsonSchema;
      for (const [name, definition] of Object.entries($defs as Record<string, JsonSchema>))
        components[name] = withComponentRefs(definition);
      return withComponentRefs(converted);
    },
  };
}

function withComponentRefs(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', `"${COMPONENT}`)) as JsonSchema;
}

/** The schema behind a reference to the components. */
export function resolveSchema(
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
): JsonSchema {
  const { $ref, ...rest } = schema;
  if (typeof $ref !== "string") return schema;
  return { ...components[$ref.replace(COMPONENT, "")], ...rest };
}
