// The databases of all regions, opened on first use.
import { openDatabase, type Database } from "./database.ts";
import { AppError } from "../errors.ts";
import type { Log } from "../log.ts";
import { migrateDatabase } from "./roles.ts";
import { HOME_REGION } from "../settings.ts";

export type Regions = {
  /** The home database: the directory of stores, whichever cells this process serves. */
  home: Database;
  /** Whether there is an address of it. */
  has(region: string): boolean;
  /** Whether this process works for its stores (CELLS). */
  serves(region: string): boolean;
  /** Throws `cell_not_served`. */
  get(region: string): Database;
  /** The regions that this process serves, the home region `default` first. */
  names(): string[];
  migrate(region: string): Promise<void>;
  /** The service's own address of the region's database. */
  url(region: string): string;
  /** The address of the owner of the region's schema; the service's own where none is set. */
  ownerUrl(region: string): string;
  close(): Promise<void>;
};

export function openRegions(options: {
  home: string;
  others: Readonly<Record<string, string>>;
  /** Connection strings past any pooler, by region, where they differ. */
  direct: Readonly<Record<string, string>>;
  /** Standbys that may serve reads, by region. */
  replicas: Readonly<Record<string, string>>;
  /** The regions that this process serves; null: all. */
  served: ReadonlySet<string> | null;
  poolSize: number;
  log: Log;
}): Regions {
  const urls: Record<string, string> = { [HOME_REGION]: options.home, ...options.others };
  const open = new Map<string, Database>();
  const urlOf = (region: string): string => {
    const url = urls[region];
    if (!url) throw new Error(`no database is configured for the region ${region}`);
    return url;
  };
  const serves = (region: string) => options.served?.has(region) ?? true;
  function openOnce(region: string): Database {
    const known = open.get(region);
    if (known) return known;
    const database = openDatabase({
      url: urlOf(region),
      directUrl: options.direct[region],
      replicaUrl: options.replicas[region],
      region,
      poolSize: options.poolSize,
      log: options.log,
    });
    open.set(region, database);
    return database;
  }
  return {
    home: openOnce(HOME_REGION),
    has: (region) => Object.hasOwn(urls, region),
    serves,
    get(region) {
      if (!serves(region))
        throw new AppError("cell_not_served", {
          message: `The store is in the cell ${region}, which this process does not serve: send its requests to a process that has ${region} in CELLS.`,
        });
      return openOnce(region);
    },
    names: () => Object.keys(urls).filter(serves),
    url: urlOf,
    ownerUrl: (region) => options.direct[region] ?? urlOf(region),
    async migrate(region) {
      const { applied } = await migrateDatabase({
        url: urlOf(region),
        directUrl: options.direct[region],
        warn: (event, fields) => options.log.warn(event, { region, ...fields }),
      });
      if (applied.length > 0) options.log.info("database.migrated", { region, applied });
    },
    async close() {
      await Promise.all([...open.values()].map((database) => database.close()));
    },
  };
}
