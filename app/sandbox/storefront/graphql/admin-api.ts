/**
 * POST /admin/api/{version}/graphql.json against the real schema of that version (pruned to our
 * documents), with the calculated-cost bucket (shopify.dev "API limits") and the platform's error
 * shapes: all of them come with status 200.
 */
import { readFileSync } from "node:fs";
import { buildSchema, execute, getOperationAST, GraphQLError, parse, validate } from "graphql";
import type { DocumentNode, GraphQLSchema } from "graphql";
import { fieldsOf, json } from "../../exchange.ts";
import type { ApiResponse } from "../../exchange.ts";
import { deprecationHeaders } from "./api-versions.ts";
import { actualCost, requestedCost } from "./query-cost.ts";
import { resolveUnlessWithheld } from "./protected-data.ts";
import type { BulkDesk } from "./bulk-operations.ts";
import type { CustomerPatch } from "../customers.ts";
import type { FileSettings } from "../files.ts";
import type { Customer, ShopState, StorefrontSettings } from "../state.ts";

const MAX_INPUT_ARRAY = 250;
const schemas = new Map<string, GraphQLSchema>();

export type CostBucket = { available: number; at: number };

export type GraphqlContext = {
  shop: ShopState;
  scope: string;
  apiVersion: string;
  webhookApiVersion: string;
  changed(): void;
  saveCustomer(patch: CustomerPatch): Customer;
  bulk: BulkDesk;
  files: FileSettings;
  isBulk?: boolean;
  /** Paging ends after this many objects. */
  maxObjects: number;
  /** The shop's base URL as the caller reached it. */
  baseUrl: string;
};

type ApiParts = {
  context: GraphqlContext;
  resolvers: Record<string, unknown>;
  bucket: CostBucket;
  settings: StorefrontSettings;
};

export async function answerGraphql(
  body: unknown,
  { context, resolvers, bucket, settings }: ApiParts,
): Promise<ApiResponse> {
  const fields = fieldsOf(body);
  const source = fields["query"];
  if (typeof source !== "string" || source === "")
    return json(400, { errors: { query: "Required parameter missing or invalid" } });
  const schema = schemaOf(context.apiVersion);
  const variableValues = fieldsOf(fields["variables"]);
  const operationName =
    typeof fields["operationName"] === "string" ? fields["operationName"] : undefined;
  const { document, problems } = readDocument(schema, source, operationName);
  if (!document) return json(200, { errors: problems });
  const large = largestArray(variableValues);
  if (large > MAX_INPUT_ARRAY) return json(200, { errors: [tooLarge(large)] });

  const { connections, maximumQueryCost } = settings.graphqlCost;
  const requested = requestedCost(schema, document, variableValues, connections);
  refill(bucket, settings);
  if (requested > maximumQueryCost)
    return json(200, { errors: [tooCostly(requested, maximumQueryCost)] });
  if (requested > bucket.available)
    return json(200, {
      errors: [THROTTLED],
      extensions: { cost: costReport(requested, null, bucket, settings) },
    });

  // Taken before the work, so that calls at the same time cannot share points; the rest is returned.
  bucket.available -= requested;
  const result = await execute({
    schema,
    document,
    variableValues,
    operationName,
    rootValue: resolvers,
    contextValue: context,
    typeResolver: resolveType,
    fieldResolver: resolveUnlessWithheld,
  });
  const actual = Math.min(requested, actualCost(document, result.data));
  bucket.available += requested - actual;
  return json(
    200,
    {
      ...(result.data !== undefined && { data: result.data }),
      ...(result.errors && { errors: result.errors.map(describe) }),
      extensions: { cost: costReport(requested, actual, bucket, settings) },
    },
    deprecationHeaders(schema, document),
  );
}

/** Without a document: the problems that the query has instead. */
function readDocument(
  schema: GraphQLSchema,
  source: string,
  operationName: string | undefined,
): { document: DocumentNode | null; problems: Record<string, unknown>[] } {
  let document: DocumentNode;
  try {
    document = parse(source);
  } catch (error) {
    return { document: null, problems: [describe(error)] };
  }
  const problems = validate(schema, document).map(describe);
  if (problems.length > 0) return { document: null, problems };
  return getOperationAST(document, operationName)
    ? { document, problems }
    : { document: null, problems: [{ message: "An operation name is required" }] };
}

const tooLarge = (size: number) => ({
  message: `The input array size of ${size} is greater than the maximum allowed of ${MAX_INPUT_ARRAY}.`,
  extensions: { code: "MAX_INPUT_SIZE_EXCEEDED" },
});

const tooCostly = (cost: number, maxCost: number) => ({
  message: `Query cost is ${cost}, which exceeds the single query max cost limit (${maxCost}).`,
  extensions: { code: "MAX_COST_EXCEEDED", cost, maxCost },
});

const THROTTLED = {
  message: "Throttled",
  extensions: {
    code: "THROTTLED",
    documentation: "https://shopify.dev/api/usage/rate-limits",
  },
};

export function schemaOf(version: string): GraphQLSchema {
  const known = schemas.get(version);
  if (known) return known;
  const schema = buildSchema(
    readFileSync(new URL(`./schema/admin-${version}.graphql`, import.meta.url), "utf8"),
  );
  schemas.set(version, schema);
  return schema;
}

function largestArray(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return Math.max(
    Array.isArray(value) ? value.length : 0,
    ...Object.values(value).map(largestArray),
  );
}

function resolveType(value: unknown): string | undefined {
  const { __typename: typename, id } = fieldsOf(value);
  return typeof typename === "string" ? typename : String(id).split("/")[3];
}

function refill(bucket: CostBucket, settings: StorefrontSettings): void {
  const now = Date.now();
  const { maximumAvailable, restoreRate } = settings.graphqlCost;
  bucket.available = Math.min(
    maximumAvailable,
    bucket.available + ((now - bucket.at) / 1000) * restoreRate,
  );
  bucket.at = now;
}

function costReport(
  requestedQueryCost: number,
  actualQueryCost: number | null,
  bucket: CostBucket,
  settings: StorefrontSettings,
): unknown {
  const { maximumAvailable, restoreRate } = settings.graphqlCost;
  return {
    requestedQueryCost,
    actualQueryCost,
    throttleStatus: {
      maximumAvailable,
      currentlyAvailable: Math.floor(bucket.available),
      restoreRate,
    },
  };
}

/** The platform has its own message for an unknown field; clients match on extensions.code. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof GraphQLError)) return { message: String(error) };
  const unknownField = /^Cannot query field "(\w+)" on type "(\w+)"/.exec(error.message);
  if (unknownField) {
    const [, fieldName, typeName] = unknownField;
    return {
      message: `Field '${fieldName}' doesn't exist on type '${typeName}'`,
      locations: error.locations,
      extensions: { code: "undefinedField", typeName, fieldName },
    };
  }
  return {
    message: error.message,
    locations: error.locations,
    ...(error.path && { path: error.path }),
    ...(Object.keys(error.extensions).length > 0 && { extensions: error.extensions }),
  };
}
