// A new data folder for every test of a file, and one finished database per file to copy from.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { startEmbeddedPostgres } from "../../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { copyProject, newFolder, removeFolder, rows } from "./embedded-postgres.ts";

export function useDatabaseFolder() {
  const at = { shared: "", folder: "", dataDir: "" };
  let project: ReturnType<typeof copyProject> | undefined;

  beforeAll(async () => {
    at.shared = await newFolder();
    const server = await startEmbeddedPostgres({
      dataDir: join(at.shared, "pg"),
      database: "app",
      settings: { fsync: "off" },
    });
    await rows(server.url, "CREATE TABLE kept AS SELECT 42 AS answer");
    await server.stop();
  });
  beforeEach(async () => {
    at.folder = await newFolder();
    at.dataDir = join(at.folder, "pg");
  });
  afterEach(() => removeFolder(at.folder));
  afterAll(() => removeFolder(at.shared));

  return {
    at,
    start: () =>
      startEmbeddedPostgres({ dataDir: at.dataDir, database: "app", settings: { fsync: "off" } }),
    /** Copies a stopped database there, with a table `kept` that contains 42. */
    makeDatabase: () => {
      const { status, stderr } = spawnSync("cp", [
        "-a",
        join(at.shared, "pg"),
        join(at.shared, "pg.password"),
        at.folder,
      ]);
      if (status !== 0) throw new Error(stderr.toString());
    },
    /** A copy of the project below <shared>/closed, whose permissions a test may remove. */
    closedProject: () => (project ??= copyProject(join(at.shared, "closed/project"))),
  };
}
