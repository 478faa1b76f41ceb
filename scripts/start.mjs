// Starts the service: `node scripts/start.mjs production` or `development`. One process, on every platform: the build is
// made first, and signals reach the service itself. Plain JavaScript, so that an old Node gets a sentence from ensure.mjs.
import { spawnSync } from "child_process";
import path from "path";
import { fileURLToPath, pathToFileURL } from "url";

const project = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const mode = process.argv[2] === "development" ? "development" : "production";
const steps = mode === "development" ? ["generate"] : [];
const made = spawnSync(process.execPath, [path.join(project, "scripts/ensure.mjs")].concat(steps), {
  cwd: project,
  stdio: "inherit",
});
if (made.status !== 0) process.exit(made.status === null ? 1 : made.status);
process.env.NODE_ENV = mode;
await import(pathToFileURL(path.join(project, "app/server.ts")).href);
