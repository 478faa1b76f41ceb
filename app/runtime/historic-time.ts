// A time in the past for rows that are written now. The service's own rows carry the time at which
// they were written; only the sandbox's demo store has a history that was never lived through.
import type { Config } from "./config.ts";

declare const made: unique symbol;
export type HistoricTime = Date & { readonly [made]: true };

/** Throws outside the sandbox: only the demo's history gives rows another time than now. */
export function historicTime(config: Pick<Config, "isSandbox">, at: Date): HistoricTime {
  if (!config.isSandbox) throw new Error("only the sandbox writes history");
  return new Date(at) as HistoricTime;
}
