/**
 * Calculated query cost (shopify.dev "API limits"): scalar 0, object 1, mutation 10, a connection
 * by its page size.
 * The vendor does not publish how the page size counts. log2(size) * (1 + node cost) gives the costs that
 * were measured (250 nodes of 1 object under one object: 25). `page` is the rule of earlier years, which was
 * the most expensive: every node of the page in full.
 */
import { getNamedType, isCompositeType, Kind, TypeInfo, visit, visitWithTypeInfo } from "graphql";
import type { DocumentNode, FieldNode, GraphQLSchema } from "graphql";

const MUTATION_COST = 10;

export type ConnectionCost = "measured" | "page";

export function requestedCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  connections: ConnectionCost,
): number {
  const typeInfo = new TypeInfo(schema);
  // One level per open field: the cost of its children so far.
  const levels: number[] = [0];
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field: {
        enter: () => {
          levels.push(0);
        },
        leave: (node) => {
          const children = levels.pop() ?? 0;
          const parentTypeName = typeInfo.getParentType()?.name ?? "";
          const type = getNamedType(typeInfo.getType());
          let cost = 0;
          if (parentTypeName === "Mutation") cost = MUTATION_COST;
          else if (type?.name.endsWith("Connection"))
            cost = connectionCost(connections, pageSize(node, variables), children);
          else if (node.name.value === "pageInfo" || node.name.value === "edges") cost = children;
          else if (isCompositeType(type)) cost = 1 + children;
          levels[levels.length - 1] = (levels.at(-1) ?? 0) + cost;
        },
      },
    }),
  );
  return levels[0] ?? 0;
}

function connectionCost(rule: ConnectionCost, size: number, children: number): number {
  if (rule === "page") return 2 + size * Math.max(1, children);
  return Math.ceil(Math.log2(Math.max(2, size))) * (1 + children);
}

/** The cost of the returned data: one point per object, ten per mutation. */
export function actualCost(document: DocumentNode, data: unknown): number {
  const isMutation = document.definitions.some(
    (definition) =>
      definition.kind === Kind.OPERATION_DEFINITION && definition.operation === "mutation",
  );
  if (isMutation) return MUTATION_COST * Object.keys(data ?? {}).length;
  return Math.max(1, countObjects(data) - 1);
}

function countObjects(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countObjects(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + countObjects(item), 1);
}

function pageSize(node: FieldNode, variables: Record<string, unknown>): number {
  const argument = node.arguments?.find(
    ({ name }) => name.value === "first" || name.value === "last",
  )?.value;
  if (argument?.kind === Kind.INT) return Number(argument.value);
  if (argument?.kind === Kind.VARIABLE) return Number(variables[argument.name.value] ?? 0);
  return 0;
}
