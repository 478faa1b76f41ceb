// Prisma's CLI requires a native schema engine that cannot be downloaded everywhere; `generate` only checks
// that the file exists, so any executable works. Migrations run through our own runner
// (app/runtime/database/migrations/apply-migrations.ts).
import { defineConfig } from "prisma/config";

process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({
  schema: "prisma/schema.prisma",
  migrations: { path: "prisma/migrations" },
});
