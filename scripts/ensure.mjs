// Generates what the service needs to run when it is missing or outdated: the Prisma client, the embeds'
// scripts, and the build. `node scripts/ensure.mjs` generates all, `node scripts/ensure.mjs generate` all but
// the build. It runs before every npm script that needs them, not as an install hook, because hooks are often
// disabled. Plain old JavaScript, so that an old Node prints the message below instead of a syntax error.
import { spawnSync } from "child_process";
import fs from "fs";
import path from "path";
import { fileURLToPath } from "url";

const project = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const lock = path.join(project, "node_modules/.ensure-lock");
const longestWaitMs = 300000;

const steps = [
  {
    title: "database client",
    inputs: ["prisma/schema.prisma", "prisma.config.ts", "package.json"],
    required: "prisma/schema.prisma",
    output: "app/generated/prisma/client.ts",
    script: "node_modules/prisma/build/index.js",
    args: ["generate"],
  },
  {
    title: "scripts of the embeds",
    inputs: [
      "app/embeds/scripts",
      "app/embeds/shopper",
      "app/embeds/styles",
      "app/embeds/theme.ts",
      "extensions/web-pixel/src",
      "extensions/admin-customer",
      "extensions/admin-segment",
      "extensions/customer-account",
      "app/sandbox/ui-extensions",
      "scripts/build-embeds.ts",
      "scripts/ui-extensions",
      "package.json",
    ],
    required: "scripts/build-embeds.ts",
    output: "app/generated/embeds/scripts.ts",
    script: "scripts/build-embeds.ts",
    args: [],
  },
  {
    title: "build",
    inputs: ["app", "public", "vite.config.ts", "package.json"],
    required: "vite.config.ts",
    output: "build/server/index.js",
    script: "node_modules/@remix-run/dev/dist/cli.js",
    args: ["vite:build"],
  },
];

refuseOldNode();
const wanted = process.argv[2] === "generate" ? steps.slice(0, 2) : steps;
if (wanted.some(isStale)) {
  takeLock();
  process.once("exit", releaseLock);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
  // Another process may have done it while this one waited for the lock.
  wanted.filter(isStale).forEach(make);
}

function refuseOldNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 18)) return;
  fail(
    "This service needs Node.js 22.18 or newer and this is " +
      process.versions.node +
      " (" +
      process.execPath +
      "). " +
      "Install a newer Node.js, or run npm install without --omit=optional: on Linux it brings one along.",
  );
}

function isStale(step) {
  if (!fs.existsSync(path.join(project, step.required))) return false;
  const made = modified(path.join(project, step.output));
  // Made before the clock was set back: an input changed since then would look older.
  if (made > Date.now() + 60000) return true;
  return step.inputs.some((input) => isNewer(path.join(project, input), made));
}

// A folder counts too: deleting a file changes only its folder. A missing input counts as never changed.
function isNewer(file, limit) {
  if (file === path.join(project, "app/generated")) return false;
  if (modified(file) > limit) return true;
  let names = [];
  try {
    names = fs.readdirSync(file);
  } catch {
    return false;
  }
  return names.some((name) => isNewer(path.join(file, name), limit));
}

function modified(file) {
  try {
    return fs.statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

function make(step) {
  // The file itself, not its link in node_modules/.bin: on Windows that is a script of the shell.
  const program = path.join(project, step.script);
  if (!fs.existsSync(program) || !fs.existsSync(path.join(project, "node_modules/vite"))) {
    fail("The " + step.title + " is out of date and its tool is not installed; run npm install.");
  }
  console.log("Making the " + step.title + " ...");
  const started = Date.now();
  const env = Object.assign({}, process.env, {
    NODE_ENV: "production",
    PRISMA_HIDE_UPDATE_MESSAGE: "1",
    CHECKPOINT_DISABLE: "1",
  });
  const result = spawnSync(process.execPath, [program].concat(step.args), {
    cwd: project,
    env: env,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const output = path.join(project, step.output);
  if (result.status !== 0 || !fs.existsSync(output)) {
    console.error((result.stdout || "") + (result.stderr || ""));
    fail(
      "The " +
        step.title +
        " could not be made (" +
        step.script +
        " " +
        step.args.join(" ") +
        ", see above).",
    );
  }
  // An input edited while the tool ran may be missing from its output: date the output by the tool's start.
  fs.utimesSync(output, started / 1000, started / 1000);
  console.log(
    "Made the " + step.title + " in " + ((Date.now() - started) / 1000).toFixed(1) + " s.",
  );
}

function takeLock() {
  const deadline = Date.now() + longestWaitMs;
  for (;;) {
    try {
      fs.mkdirSync(lock);
      fs.writeFileSync(path.join(lock, "pid"), String(process.pid));
      return;
    } catch (error) {
      if (error.code !== "EEXIST")
        fail(
          "The folder " +
            path.dirname(lock) +
            " cannot be written (" +
            error.code +
            "); run npm install there.",
        );
    }
    if (isAbandoned(lock)) {
      const aside = lock + "." + process.pid;
      try {
        // Only one of several waiting processes can rename it; a late one moves the next owner's lock and
        // puts it back.
        fs.renameSync(lock, aside);
        if (!isAbandoned(aside)) fs.renameSync(aside, lock);
      } catch {
        // Another process was faster.
      }
      fs.rmSync(aside, { recursive: true, force: true });
    } else if (Date.now() > deadline) {
      fail(
        "Another process has been building for too long; end it, remove " +
          lock +
          " and try again.",
      );
    } else {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
}

function isAbandoned(folder) {
  let pid = 0;
  try {
    pid = Number(fs.readFileSync(path.join(folder, "pid"), "utf8"));
  } catch {
    // The lock is just being taken, or its owner died between the two steps of taking it.
  }
  const madeAt = modified(folder);
  if (!pid) return madeAt > 0 && Date.now() - madeAt > 5000;
  try {
    process.kill(pid, 0);
    return pid === process.pid || Date.now() - madeAt > longestWaitMs;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

function releaseLock() {
  fs.rmSync(lock, { recursive: true, force: true });
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
