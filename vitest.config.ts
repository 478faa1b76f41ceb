// Four projects: `npm test` runs all of them, `npm test -- --project unit` one. The Remix plugin stays out: it starts a second
// Vite and rewrites modules.
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { RepeatedTests } from "./tests/support/repeated-tests.ts";
import { SlowestFirst } from "./tests/support/slowest-first.ts";

/** No database, no process, no browser: seconds. */
const UNIT = ["tests/*.test.ts", "tests/unit/**/*.test.ts"];
/** Kills, outages and starts of real processes: mostly waiting. */
const CHAOS = ["tests/chaos/**/*.test.ts"];
/** Real pages in a real Chromium. */
const BROWSER = ["tests/browser/**/*.test.ts"];

const cores = availableParallelism();

const shared = {
  pool: "forks" as const,
  // Modules keep nothing of one test file that another could see: each worker loads and compiles them once.
  isolate: false,
  // Long enough for a machine that does other work: a timeout tells of something that hangs, never of something slow.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 30_000 } },
  // CI repeats a failed test once and reports it as repeated; here a failure stays a failure.
  retry: process.env.CI ? 1 : 0,
};
/** One PostgreSQL server for all projects, one database of it for each file; one unpacked Chromium. */
const withServers = {
  ...shared,
  // Chromium first: the second one sets the folder for temporary files, where less room is left.
  globalSetup: ["tests/support/browser/global-setup.ts", "tests/support/global-setup.ts"],
};
/**
 * Twice the cores: with fewer workers the cores wait for timers and processes, with more each test takes
 * more processor time. After the unit tests: what they find is seen first.
 */
const integration = { ...withServers, maxWorkers: cores * 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    sequence: { sequencer: SlowestFirst },
    reporters: ["default", new RepeatedTests()],
    projects: [
      // One more than cores: some files wait for sockets or for another process.
      { test: { ...shared, name: "unit", include: UNIT, maxWorkers: cores + 1 } },
      {
        test: {
          ...integration,
          name: "service",
          include: ["tests/**/*.test.{ts,tsx}"],
          exclude: [
            "tests/bench/**",
            "tests/conformance/**",
            "**/node_modules/**",
            ...UNIT,
            ...CHAOS,
            ...BROWSER,
          ],
        },
      },
      {
        // A test starts up to five processes, one after the other.
        test: {
          ...integration,
          name: "chaos",
          include: CHAOS,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          ...integration,
          name: "browser",
          include: BROWSER,
          // React renders the built pages as a deployed service does: without the checks of development.
          env: { NODE_ENV: "production" },
        },
      },
    ],
  },
});
