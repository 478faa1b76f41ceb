// A deployed worker's settings, with a database and a sandbox of the test file, and starts that fail.
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { startSandbox, type Sandbox } from "../../../app/sandbox/server.ts";
import { freshDatabase, type TestDatabase } from "../database.ts";
import { testEnvironment } from "../service.ts";
import { endChildren, startChild } from "./child.ts";
import { removeFolder } from "./embedded-postgres.ts";

export function useDeployment() {
  const at = {} as { sandbox: Sandbox; database: TestDatabase; folder: string };

  beforeAll(async () => {
    at.sandbox = await startSandbox({
      app: {
        url: "http://127.0.0.1:1",
        clientId: "test-client-id",
        clientSecret: "test-app-secret-0123456789",
      },
    });
    at.database = await freshDatabase();
    at.folder = await mkdtemp(join(tmpdir(), "customer-identity-pg-"));
    await chmod(at.folder, 0o711);
  });
  afterEach(() => endChildren());
  afterAll(async () => {
    await at.sandbox.stop();
    await at.database.drop();
    await removeFolder(at.folder);
  });

  return {
    at,
    /** The complete settings of a deployed worker, except those a test removes. */
    deployment: (changes: Record<string, string> = {}): Record<string, string> => ({
      ...testEnvironment(at.sandbox, at.database.url),
      BASE_URL: "https://service.example",
      PORT: "0",
      DATA_DIR: join(at.folder, "none"),
      ROLES: "worker",
      ...changes,
    }),
    /** What a start that fails writes to stderr. */
    async refusal(env: Record<string, string>): Promise<string> {
      const child = startChild("app/server.ts", { DATA_DIR: join(at.folder, "none"), ...env });
      expect(await child.ended).toBe(1);
      expect(child.out()).not.toContain("listening on");
      return child.err();
    },
  };
}

/** Checks for one or a few readable sentences without a stack or file names. */
export function requireSentence(text: string): void {
  expect(text).not.toMatch(/^\s+at |\.ts:\d+|node:internal/m);
  expect(text.trim().split("\n").length).toBeLessThan(14);
}
