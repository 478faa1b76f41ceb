// Prisma for one tenant: every operation on every model gets the tenant's filter, and every written
// row its shop. Inside a transaction its operations run on the transaction's connection
// (prisma-pool.ts).
import { LRUCache } from "lru-cache";
import { Prisma, type PrismaClient } from "../../../generated/prisma/client.ts";
import { runOnConnection, type OpenTransaction } from "./prisma-pool.ts";

type Args = Record<string, unknown> & {
  where?: Where;
  data?: unknown;
  create?: object;
  update?: object;
};

const FILTERED = new Set([
  "findUnique",
  "findUniqueOrThrow",
  "findFirst",
  "findFirstOrThrow",
  "findMany",
  "count",
  "aggregate",
  "groupBy",
  "update",
  "updateMany",
  "updateManyAndReturn",
  "delete",
  "deleteMany",
  "upsert",
]);
const CREATING = new Set(["create", "createMany", "createManyAndReturn", "upsert"]);

/** Prisma batches these operations of one tick into one query, across transactions. */
const BATCHED = new Set(["findUnique", "findUniqueOrThrow"]);

const columns = Prisma as unknown as Record<string, Record<string, string>>;

/**
 * Adds the shop to a row. Refuses a nested write: it names rows of other tables by keys that no
 * filter narrows.
 */
function stamp(model: string, row: unknown, shop: string): object {
  const known = columns[`${model}ScalarFieldEnum`];
  const relation = Object.keys(row as object).find((name) => !known || !Object.hasOwn(known, name));
  if (relation !== undefined)
    throw new Error(
      `${model}.${relation} is not a column: a nested write could reach every tenant`,
    );
  return { ...(row as object), shop };
}

const stampAll = (model: string, data: unknown, shop: string) =>
  Array.isArray(data) ? data.map((row) => stamp(model, row, shop)) : stamp(model, data, shop);

function narrow(prisma: PrismaClient, shop: string) {
  return prisma.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (!FILTERED.has(operation) && !CREATING.has(operation))
            throw new Error(`${model}.${operation} has no tenant rule`);
          const given = (args ?? {}) as Args;
          const narrowed: Args = { ...given };
          // AND, not a merge: a caller's own `shop` condition can only narrow further, never
          // replace ours.
          if (
            FILTERED.has(operation) &&
            !(operation === "upsert" && namesOwnRow(given.where, shop))
          )
            narrowed.where = { ...given.where, AND: [...conditions(given.where), { shop }] };
          if (CREATING.has(operation)) {
            if (operation === "upsert") narrowed.create = stamp(model, given.create, shop);
            else narrowed.data = stampAll(model, given.data, shop);
          }
          // A row never moves to another tenant.
          if (operation.startsWith("update")) narrowed.data = stamp(model, given.data, shop);
          if (operation === "upsert") narrowed.update = stamp(model, given.update, shop);
          return query(narrowed as typeof args);
        },
      },
    },
  });
}

/**
 * Whether a condition is one compound key with the tenant. Without a filter beside the key,
 * Prisma's upsert is a single INSERT ... ON CONFLICT.
 */
function namesOwnRow(where: object | undefined, shop: string): boolean {
  const [only, ...others] = Object.entries(where ?? {}) as [string, unknown][];
  if (!only || others.length > 0) return false;
  const [name, key] = only;
  return name === "shop"
    ? key === shop
    : name.startsWith("shop_") && (key as { shop?: unknown } | null)?.shop === shop;
}

type Where = { AND?: object | object[] };

function conditions(where: Where | undefined): object[] {
  const and = where?.AND;
  return and === undefined ? [] : Array.isArray(and) ? and : [and];
}

type Narrowed = ReturnType<typeof narrow>;

/** The models only: raw statements and cross-tenant transactions are not available. */
export type TenantPrisma = Pick<Narrowed, Exclude<keyof Narrowed, `$${string}` | symbol>>;

/** The models inside a transaction. A TenantPrisma is assignable to it. */
export type TransactionPrisma = {
  [Model in keyof TenantPrisma]: Omit<TenantPrisma[Model], "findUnique" | "findUniqueOrThrow">;
};

/**
 * `$` names lead to raw statements and, through a model's `$parent`, to the client of all tenants.
 */
function withoutWayOut<T extends object>(
  target: T,
  wrap: (name: string, value: unknown) => unknown,
): T {
  return new Proxy(target, {
    get(inner, name) {
      if (typeof name !== "string") return Reflect.get(inner, name) as unknown;
      if (name.startsWith("$")) throw new Error(`${name} would reach every tenant`);
      return wrap(name, Reflect.get(inner, name));
    },
  });
}

const MAX_CLIENTS = 500;
const clients = new WeakMap<PrismaClient, LRUCache<string, TenantPrisma>>();

/** Cached by shop: creating a tenant's client takes as long as a query. */
export function scopePrisma(prisma: PrismaClient, shop: string): TenantPrisma {
  const byShop = clients.get(prisma) ?? new LRUCache<string, TenantPrisma>({ max: MAX_CLIENTS });
  clients.set(prisma, byShop);
  const known = byShop.get(shop);
  if (known) return known;
  const made = withoutWayOut(narrow(prisma, shop), (_, model) =>
    typeof model === "object" && model !== null
      ? withoutWayOut(model, (_name, operation) => operation)
      : model,
  );
  byShop.set(shop, made);
  return made;
}

type Operation = (args?: object) => PromiseLike<unknown>;

/** Its operations run on the transaction's connection, and start when they are called. */
export function scopeTransaction(
  prisma: PrismaClient,
  shop: string,
  transaction: OpenTransaction,
): TransactionPrisma {
  return withoutWayOut({} as TenantPrisma, (modelName) => {
    const model: unknown = Reflect.get(scopePrisma(prisma, shop), modelName);
    if (typeof model !== "object" || model === null) return model;
    return withoutWayOut(model, (name, operation) =>
      typeof operation !== "function"
        ? operation
        : async (args?: object) => {
            if (BATCHED.has(name))
              throw new Error(
                `${modelName}.${name} is not available in a transaction: use ${name.replace("Unique", "First")}`,
              );
            return runOnConnection(transaction, () => (operation as Operation)(args));
          },
    );
  });
}
