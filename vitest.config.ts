// One run, one PostgreSQL for all test files (tests/support/global-setup.ts). The Remix plugin stays out: it starts a
// second Vite and rewrites modules.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.{ts,tsx}"],
    exclude: ["tests/bench/**", "**/node_modules/**"],
    globalSetup: "tests/support/global-setup.ts",
    pool: "forks",
    // Modules keep nothing of one test file that another could see: each worker loads and compiles them once.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
