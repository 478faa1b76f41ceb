// Lints the OpenAPI document that the routes declare: `npm run check:api`. The rules are in
// redocly.yaml.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildOpenApi } from "../app/http/openapi/build-openapi.ts";
import { loadRoutes } from "../app/http/route-table.ts";
import { VERSION } from "../app/runtime/version.ts";
import { installTool } from "./install-tool.ts";

const folder = installTool("@redocly/cli@2.77.0");
const file = join(folder, "openapi.json");
const document = buildOpenApi(await loadRoutes(), {
  baseUrl: "https://service.example.com",
  version: VERSION,
});
writeFileSync(file, JSON.stringify(document, null, 2));
const { status } = spawnSync(
  process.execPath,
  [
    join(folder, "node_modules/@redocly/cli/bin/cli.js"),
    "lint",
    file,
    "--config",
    resolve(import.meta.dirname, "../redocly.yaml"),
  ],
  { env: { ...process.env, REDOCLY_TELEMETRY: "off", CI: "1" }, stdio: "inherit" },
);
process.exit(status ?? 1);
