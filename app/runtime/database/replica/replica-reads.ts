// A database whose reads a replica serves where it can.
import type { Database } from "../database.ts";
import { openPrisma } from "../tenant/prisma-pool.ts";
import { scopePrisma } from "../tenant/tenant-prisma.ts";
import { tenantSql } from "../tenant/tenant-sql.ts";
import { openReplica, type ReplicaOptions } from "./replica.ts";

/** Transactions, and everything that is no tenant's, stay with the primary. */
export function withReplica(primary: Database, options: ReplicaOptions): Database {
  const replica = openReplica(options);
  const prisma = openPrisma(replica.pool);
  const reading: Database = {
    ...primary,
    isReplica: true,
    forTenant: (shop) => ({
      shop,
      // Without names: plans are made once per connection for statements of every request.
      sql: tenantSql(
        shop,
        () => replica.pool,
        () => ({}),
      ),
      get prisma() {
        return scopePrisma(prisma, shop);
      },
      transaction: primary.forTenant(shop).transaction,
    }),
  };
  return {
    ...primary,
    async reading() {
      return (await replica.begin()) ? reading : primary;
    },
    async close() {
      await prisma.$disconnect();
      await replica.close();
      await primary.close();
    },
  };
}
