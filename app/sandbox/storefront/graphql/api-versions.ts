/**
 * Versions of the Admin API (shopify.dev "About API versioning"): a call in one that is no longer served is answered
 * in the oldest that is, and the answer's header names it. Another header names the deprecated fields of the call.
 */
import { TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { DocumentNode, GraphQLSchema } from "graphql";

export const API_VERSIONS: readonly string[] = ["2026-04", "2026-07"];

/** The version that answers; null where there has never been such a version. */
export function servedVersion(asked: string, served: readonly string[]): string | null {
  if (served.includes(asked)) return asked;
  const oldest = served.toSorted()[0];
  const isRetired = /^\d{4}-(?:01|04|07|10)$/.test(asked) && oldest !== undefined && asked < oldest;
  return isRetired ? oldest : null;
}

export function deprecationHeaders(
  schema: GraphQLSchema,
  document: DocumentNode,
): Record<string, string> {
  const typeInfo = new TypeInfo(schema);
  const found = new Set<string>();
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: ({ name }) => {
        if (typeInfo.getFieldDef()?.deprecationReason)
          found.add(`${typeInfo.getParentType()?.name}.${name.value}`);
      },
    }),
  );
  return found.size === 0 ? {} : { "x-shopify-api-deprecated-reason": [...found].join(", ") };
}
