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
};

export type BulkDesk = ReturnType<typeof createBulkDesk>;

export function createBulkDesk(settings: BulkSettings) {
  const operations = new Map<string, Operation[]>();
  let nextId = 720_918_001;

  return {
    settings,
    async run(
      shop: ShopState,
      schema: GraphQLSchema,
      query: string,
      context: GraphqlContext,
      rootValue: unknown,
    ) {
      const own = operations.get(shop.domain) ?? [];
      operations.set(shop.domain, own);
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
      const [root] = Object.values((data ?? {}) as Record<string, { edges: { node: unknown }[] }>);
      const operation: Operation = {
        id: `gid://shopify/BulkOperation/${nextId++}`,
        key: crypto.randomUUID(),
        status: "RUNNING",
        errorCode: null,
        pollsLeft: settings.runningPolls,
        lines: isDenied ? [] : (root?.edges ?? []).map(({ node }) => JSON.stringify(node)),
        failsWith: isDenied ? "ACCESS_DENIED" : null,
      };
      own.push(operation);
      return { bulkOperation: { id: operation.id, status: "CREATED" }, userErrors: [] };
    },
    find(shop: ShopState, id: string, baseUrl: string) {
      const operation = operations.get(shop.domain)?.find((one) => one.id === id);
      if (!operation) return null;
      if (operation.status === "RUNNING" && operation.pollsLeft-- <= 0) {
        operation.errorCode = settings.failWith ?? operation.failsWith;
        operation.status = operation.errorCode ? "FAILED" : "COMPLETED";
        settings.failWith = null;
      }
      const isDone = operation.status === "COMPLETED";
      return {
        __typename: "BulkOperation",
        id,
        status: operation.status,
        errorCode: operation.errorCode,
        objectCount: String(operation.lines.length),
        url: isDone && operation.lines.length > 0 ? `${baseUrl}/bulk/${operation.key}.jsonl` : null,
      };
    },
    file(domain: string, key: string): string | null {
      const operation = operations
        .get(domain)
        ?.find((one) => one.key === key && one.status === "COMPLETED");
      return operation ? `${operation.lines.join("\n")}\n` : null;
    },
  };
}

const refuse = (code: string, message: string, field: string[] | null = null) => ({
  bulkOperation: null,
  userErrors: [{ field, message, code }],
});
