// The migrations that this version brings: prisma/migrations.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { MigrationError } from "./migration-error.ts";

export interface Migration {
  name: string;
  sql: string;
  checksum: string;
  /** Why versions that do not know it cannot work with it; null: they can. */
  breaks: string | null;
}

/** A line of a migration's file: a version that does not know the migration does not start beside it. */
const BREAKS = /^-- Breaks older versions: (.+)$/m;

export const DEFAULT_FOLDER = resolve(import.meta.dirname, "../../../../prisma/migrations");

/** The names of the migrations, in the order in which they are applied. */
export async function listMigrations(folder: string = DEFAULT_FOLDER): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw new MigrationError(`The migrations in ${folder} cannot be read: ${error.message}.`);
    },
  );
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = await listMigrations(folder);
  return Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name, "migration.sql")).catch(() => {
        throw new MigrationError(
          `The migration ${name} in ${basename(folder)} has no readable migration.sql; restore it or remove its folder.`,
        );
      });
      const sql = bytes.toString("utf8");
      return {
        name,
        sql,
        breaks: BREAKS.exec(sql)?.[1]?.trim() ?? null,
        checksum: createHash("sha256").update(bytes).digest("hex"),
      };
    }),
  );
}
