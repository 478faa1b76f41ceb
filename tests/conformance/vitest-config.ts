// The protocols' own conformance suites, run by `npm run conformance`. They are no part of `npm test`,
// because their tools are fetched.
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "../.."),
    include: [
      "tests/conformance/**/*.test.ts",
      "tests/contract/agents/ucp-schemas.test.ts",
      "tests/contract/agents/checkouts/*.test.ts",
      "tests/contract/agents/a2a-schemas.test.ts",
      "tests/agents/*.test.ts",
    ],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    globalSetup: "tests/support/global-setup.ts",
  },
});
