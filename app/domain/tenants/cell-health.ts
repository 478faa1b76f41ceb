// Whether this process works: the databases of the cells that it serves, and home where its own stores are served
// elsewhere.
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../runtime/database/database.ts";

type CellChecks<T> = {
  /** By name; where the process works with one database only, `database` is enough. */
  cells?: Record<string, T>;
  /** The home database's value; absent when it is one of the cells. */
  home?: T;
};

async function askCells<T>(
  { regions }: Ctx,
  ask: (database: Database) => Promise<T>,
): Promise<{ served: T[]; all: T[]; named: CellChecks<T> }> {
  const names = regions.names();
  const hasHome = names.includes(regions.home.region);
  const databases = [...names.map(regions.get), ...(hasHome ? [] : [regions.home])];
  const all = await Promise.all(databases.map(ask));
  const served = all.slice(0, names.length);
  const cells = Object.fromEntries(names.map((name, at) => [name, served[at] as T]));
  const named = {
    ...(all.length > 1 && { cells }),
    ...(!hasHome && { home: all.at(-1) as T }),
  };
  return { served, all, named };
}

type Reachable = "ok" | "unreachable";
export type HealthChecks = { database: Reachable } & CellChecks<Reachable>;

/** Every database that the process works with. */
export async function checkHealth(ctx: Ctx): Promise<HealthChecks> {
  const { all, named } = await askCells<Reachable>(ctx, async (database) =>
    (await database.isReachable()) ? "ok" : "unreachable",
  );
  return { database: all.every((state) => state === "ok") ? "ok" : "unreachable", ...named };
}

type Readiness = Awaited<ReturnType<Database["readiness"]>>;
export type ReadyChecks = Readiness & { process: "ok" | "draining" } & CellChecks<Readiness>;

const isUsable = ({ database, migrations }: Readiness): boolean =>
  database === "ok" && migrations === "ok";

/**
 * One usable cell is enough: without this process its stores would be away as well. What home is needed for says so
 * by itself.
 */
export async function checkReadiness(ctx: Ctx): Promise<{ isReady: boolean; checks: ReadyChecks }> {
  const { served, named } = await askCells(ctx, (database) => database.readiness());
  const shown = (served.find(isUsable) ?? served[0]) as Readiness;
  return {
    isReady: isUsable(shown) && !ctx.isDraining(),
    checks: { ...shown, process: ctx.isDraining() ? "draining" : "ok", ...named },
  };
}
