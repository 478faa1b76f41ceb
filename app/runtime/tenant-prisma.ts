// Prisma narrowed to one tenant: every operation on every model gets the tenant's filter, and every row written its shop.
import { Prisma, type PrismaClient } from "../generated/prisma/client.ts";

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

const columns = Prisma as unknown as Record<string, Record<string, string>>;

/** The row under its shop. Refuses a nested write: it names rows of other tables by keys that no filter narrows. */
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
          // AND, not a merge: a caller's own `shop` condition can only narrow further, never replace ours.
          if (FILTERED.has(operation))
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

type Where = { AND?: object | object[] };

function conditions(where: Where | undefined): object[] {
  const and = where?.AND;
  return and === undefined ? [] : Array.isArray(and) ? and : [and];
}

type Narrowed = ReturnType<typeof narrow>;

/** The models only: raw statements and cross-tenant transactions are not on it. */
export type TenantPrisma = Pick<Narrowed, Exclude<keyof Narrowed, `$${string}` | symbol>>;

/** `$` names lead to raw statements and, through a model's `$parent`, to the client of all tenants. */
function withoutWayOut<T extends object>(target: T, wrap: (value: unknown) => unknown): T {
  return new Proxy(target, {
    get(inner, name) {
      if (typeof name === "string" && name.startsWith("$"))
        throw new Error(`${name} would reach every tenant`);
      return wrap(Reflect.get(inner, name));
    },
  });
}

export function scopePrisma(prisma: PrismaClient, shop: string): TenantPrisma {
  return withoutWayOut(narrow(prisma, shop), (model) =>
    typeof model === "object" && model !== null ? withoutWayOut(model, (value) => value) : model,
  );
}
