// The databases of all regions, opened on first use.
import { openDatabase, type Database } from "./database.ts";
import type { Log } from "../log.ts";
import { migrateDatabase } from "./roles.ts";
import { HOME_REGION } from "../settings.ts";

export type Regions = {
  has(region: string): boolean;
  get(region: string): Database;
  /** Names of all regions, the home region `default` first. */
  names(): string[];
  migrate(region: string): Promise<void>;
  close(): Promise<void>;
};

export function openRegions(options: {
  home: string;
  others: Readonly<Record<string, string>>;
  /** Connection strings past any pooler, by region, where they differ. */
  direct: Readonly<Record<string, string>>;
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
  return {
    has: (region) => Object.hasOwn(urls, region),
    get(region) {
      const known = open.get(region);
      if (known) return known;
      const database = openDatabase({
        url: urlOf(region),
        directUrl: options.direct[region],
        region,
        poolSize: options.poolSize,
        log: options.log,
      });
      open.set(region, database);
      return database;
    },
    names: () => Object.keys(urls),
    async migrate(region) {
      const { applied } = await migrateDatabase({
        url: urlOf(region),
        directUrl: options.direct[region],
      });
      if (applied.length > 0) options.log.info("database.migrated", { region, applied });
    },
    async close() {
      await Promise.all([...open.values()].map((database) => database.close()));
    },
  };
}
