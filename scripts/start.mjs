// Starts the service: `node scripts/start.mjs production` or `development`. One process, on every platform: the build is
// made first, and signals reach the service itself. Plain JavaScript, so that an old Node gets a sentence from ensure.mjs.
import { spawnSync } from "child_process";
import module from "module";
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
if (process.env.npm_lifecycle_event) stopWithNpm();
// The next start reads compiled modules instead of compiling them. In the project, not in the machine's shared folder,
// where another account could leave code for us.
module.enableCompileCache(path.join(project, "node_modules/.cache/compile"));
await import(pathToFileURL(path.join(project, "app/server.ts")).href);

// npm runs a script in a shell and passes a signal to that shell only, which ends without the service.
// The service then has a new parent, and stops as if it had received the signal itself.
function stopWithNpm() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}
