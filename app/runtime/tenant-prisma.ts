// Prisma narrowed to one tenant: every operation on every model gets the tenant's filter, and every row written its shop.
import type { PrismaClient } from "../generated/prisma/client.ts";

type Args = Record<string, unknown> & { where?: Where; data?: unknown; create?: object; update?: object };

const FILTERED = new Set([
  "findUnique", "findUniqueOrThrow", "findFirst", "findFirstOrThrow", "findMany", "count", "aggregate", "groupBy",
  "update", "updateMany", "updateManyAndReturn", "delete", "deleteMany", "upsert",
]);
const CREATING = new Set(["create", "createMany", "createManyAndReturn", "upsert"]);

const stamp = (data: unknown, shop: string): unknown =>
  Array.isArray(data) ? data.map((row: object) => ({ ...row, shop })) : { ...(data as object), shop };

function narrow(prisma: PrismaClient, shop: string) {
  return prisma.$extends({
    query: {
      $allModels: {
        async $allOperations({ model, operation, args, query }) {
          if (!FILTERED.has(operation) && !CREATING.has(operation)) throw new Error(`${model}.${operation} has no tenant rule`);
          const given = (args ?? {}) as Args;
          const narrowed: Args = { ...given };
          // AND, not a merge: a caller's own `shop` condition can only narrow further, never replace ours.
          if (FILTERED.has(operation)) narrowed.where = { ...given.where, AND: [...conditions(given.where), { shop }] };
          if (CREATING.has(operation)) {
            if (operation === "upsert") narrowed.create = stamp(given.create, shop) as object;
            else narrowed.data = stamp(given.data, shop);
          }
          // A row never moves to another tenant.
          if (operation.startsWith("update")) narrowed.data = stamp(given.data, shop);
          if (operation === "upsert") narrowed.update = stamp(given.update, shop) as object;
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

export function scopePrisma(prisma: PrismaClient, shop: string): TenantPrisma {
  const narrowed = narrow(prisma, shop);
  return new Proxy(narrowed, {
    get(target, name) {
      if (typeof name === "string" && name.startsWith("$")) throw new Error(`${name} would reach every tenant`);
      return Reflect.get(target, name) as unknown;
    },
  });
}
