/**
 * Bulk operations: five queries at a time per shop, since 2026-01 (shopify.dev "Perform bulk operations"); the result
 * is a JSON Lines file at an unguessable address.
 */
import { execute, parse, validate } from "graphql";
import type { GraphQLSchema } from "graphql";
import type { GraphqlContext } from "./admin-api.ts";
import type { ShopState } from "../state.ts";
import { resolveUnlessWithheld } from "./protected-data.ts";

const MAX_RUNNING = 5;

type Operation = {
  id: string;
  key: string;
  status: "RUNNING" | "COMPLETED" | "FAILED" | "CANCELED";
  errorCode: string | null;
  pollsLeft: number;
  lines: string[];
  /** What the query itself makes it end with. */
  failsWith: BulkSettings["failWith"];
};

export type BulkSettings = {
  /** How many polls answer RUNNING before the operation is done. */
  runningPolls: number;
  /** The next operation ends with this error code. */
  failWith: "ACCESS_DENIED" | "INTERNAL_SERVER_ERROR" | "TIMEOUT" | null;
  /** The results are gone, as seven days after their operations: a completed one has its count and no address. */
  hasExpired: boolean;
};

export type BulkDesk = ReturnType<typeof createBulkDesk>;

type BulkQuery = { schema: GraphQLSchema; context: GraphqlContext; rootValue: unknown };

export function createBulkDesk(settings: BulkSettings) {
  const operations = new Map<string, Operation[]>();
  let nextId = 720_918_001;

  return {
    settings,
    async run(query: string, { schema, context, rootValue }: BulkQuery) {
      const { domain } = context.shop;
      const own = operations.get(domain) ?? [];
      operations.set(domain, own);
      if (own.filter(({ status }) => status === "RUNNING").length >= MAX_RUNNING)
        return refuse("LIMIT_REACHED", "Bulk operations limit reached. Please try again later.");
      const document = parse(query);
      const [problem] = validate(schema, document);
      if (problem) return refuse("INVALID", `Invalid bulk query: ${problem.message}`, ["query"]);
      const { data, errors } = await execute({
        schema,
        document,
        rootValue,
        contextValue: context,
        fieldResolver: resolveUnlessWithheld,
      });
      const isDenied = errors?.every(({ extensions }) => extensions["code"] === "ACCESS_DENIED");
      if (errors && !isDenied) return refuse("INVALID", errors[0]?.message ?? "failed", ["query"]);
      const operation: Operation = {
        id: `gid://shopify/BulkOperation/${nextId++}`,
        key: crypto.randomUUID(),
        status: "RUNNING",
        errorCode: null,
        pollsLeft: settings.runningPolls,
        lines: isDenied ? [] : toLines(data),
        failsWith: isDenied ? "ACCESS_DENIED" : null,
      };
      own.push(operation);
      return { bulkOperation: { id: operation.id, status: "CREATED" }, userErrors: [] };
    },
    /** What a poll finds; the operation ends with the last of its `runningPolls`. */
    find(shop: ShopState, id: string, baseUrl: string) {
      const operation = operations.get(shop.domain)?.find((one) => one.id === id);
      if (!operation) return null;
      if (operation.status === "RUNNING" && operation.pollsLeft-- <= 0) end(operation, settings);
      return toBulkOperation(operation, settings, baseUrl);
    },
    /** The result of a completed operation; null: there is no such file. */
    file(domain: string, key: string): string | null {
      const operation = operations
        .get(domain)
        ?.find((one) => one.key === key && one.status === "COMPLETED");
      return operation && !settings.hasExpired ? `${operation.lines.join("\n")}\n` : null;
    },
  };
}

/** One JSON text for each node of the query's one connection. */
function toLines(data: unknown): string[] {
  const [root] = Object.values((data ?? {}) as Record<string, { edges: { node: unknown }[] }>);
  return (root?.edges ?? []).map(({ node }) => JSON.stringify(node));
}

function end(operation: Operation, settings: BulkSettings): void {
  operation.errorCode = settings.failWith ?? operation.failsWith;
  operation.status = operation.errorCode ? "FAILED" : "COMPLETED";
  settings.failWith = null;
}

function toBulkOperation(
  { id, key, status, errorCode, lines }: Operation,
  { hasExpired }: BulkSettings,
  baseUrl: string,
) {
  const hasFile = status === "COMPLETED" && lines.length > 0 && !hasExpired;
  return {
    __typename: "BulkOperation",
    id,
    status,
    errorCode,
    objectCount: String(lines.length),
    url: hasFile ? `${baseUrl}/bulk/${key}.jsonl` : null,
  };
}

const refuse = (code: string, message: string, field: string[] | null = null) => ({
  bulkOperation: null,
  userErrors: [{ field, message, code }],
});
