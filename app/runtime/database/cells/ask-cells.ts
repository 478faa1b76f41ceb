// Asks every database that this process works with the same question.
import type { Database } from "../database.ts";
import type { Regions } from "../regions.ts";

export type CellAnswers<T> = {
  /** Of the cells that this process serves. */
  cells: Record<string, T>;
  /** Of the home database where its own stores are served elsewhere; null where it is one of the cells. */
  home: T | null;
};

export async function askCells<T>(
  regions: Regions,
  ask: (database: Database) => Promise<T>,
): Promise<CellAnswers<T>> {
  const names = regions.names();
  const isHomeServed = names.includes(regions.home.region);
  const [home, ...answers] = await Promise.all([
    isHomeServed ? null : ask(regions.home),
    ...names.map((name) => ask(regions.get(name))),
  ]);
  return {
    cells: Object.fromEntries(names.map((name, at) => [name, answers[at] as T])),
    home: home ?? null,
  };
}
