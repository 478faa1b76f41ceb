// Fetches what the conformance checks need from the repositories of the agent protocols, each at a
// pinned commit, into .data/protocols: `node scripts/protocol-sources.ts [--from <folder>]`. The
// folder holds clones by the names of the repositories, for machines that do not reach GitHub. All
// are under Apache-2.0; nothing of them is part of this repository.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = join(import.meta.dirname, "..");
const target = join(root, ".data/protocols");

export const MCP_SUITE_VERSION = "0.2.0-alpha.12";
/** Where `npm run conformance` installs what runs the suites. */
export const MCP_SUITE = join(target, `mcp-suite-${MCP_SUITE_VERSION}`);
export const TCK_PYTHON = join(target, "tck-python/bin/python");

/** Each stands in a folder with the commit in its name, so that another pin is fetched anew. */
const SOURCES = {
  // The last commit before the version was cut; it has no tag.
  "ucp-2026-08-25": {
    repository: "Universal-Commerce-Protocol/ucp",
    commit: "fdcf8934d1b6bfaf54d4d80e66db00f2ba67fad1",
    paths: ["LICENSE", "source"],
  },
  "ucp-2026-04-08": {
    repository: "Universal-Commerce-Protocol/ucp",
    commit: "a2d8bf0b8f5a6fc790f677899c2c7da0684fe33d",
    paths: ["LICENSE", "source"],
  },
  // Tag v0.2.0.
  "ap2-0.2": {
    repository: "google-agentic-commerce/AP2",
    commit: "b4587ac1d055888a73b4b21750973cffba961793",
    paths: ["LICENSE", "code/sdk/schemas"],
  },
  "a2a-0.3": {
    repository: "a2aproject/A2A",
    commit: "8d57eba286de756176892518a8fc39b0ac2ccefb",
    paths: ["LICENSE", "specification/json"],
  },
  // Branch 1.0-dev; it has the JSON Schema of A2A 1.0 too, which A2A itself keeps as protobuf only.
  "a2a-tck": {
    repository: "a2aproject/a2a-tck",
    commit: "357c4a87afa2818731590647cccbea31c31733a2",
    paths: ["LICENSE", "pyproject.toml", "specification", "tck", "tests"],
  },
} as const;
type SourceName = keyof typeof SOURCES;

/** Where a source is once it was fetched. */
export const sourceFolder = (name: SourceName): string =>
  join(target, `${name}-${SOURCES[name].commit.slice(0, 12)}`);

export const isFetched = (name: SourceName): boolean => existsSync(sourceFolder(name));

/** Throws git's own message. */
function git(args: readonly string[], input?: Buffer): Buffer {
  const { status, stdout, stderr, error } = spawnSync("git", args, {
    maxBuffer: 2 ** 28,
    ...(input && { input }),
  });
  if (error || status !== 0) throw new Error(error?.message ?? stderr.toString().trim());
  return stdout;
}

/** A bare repository that has the commit. */
function findCommit(name: SourceName, from: string | undefined, work: string): string {
  const { repository, commit } = SOURCES[name];
  if (from !== undefined) return resolve(from, repository.split("/")[1] as string);
  git(["init", "--quiet", "--bare", work]);
  const url = `https://github.com/${repository}.git`;
  git(["-C", work, "fetch", "--quiet", "--depth", "1", url, commit]);
  return work;
}

function fetchSource(name: SourceName, from: string | undefined): void {
  mkdirSync(target, { recursive: true });
  // Beside its place: a folder cannot be renamed to another file system.
  const work = mkdtempSync(join(target, "fetching-"));
  try {
    const { commit, paths } = SOURCES[name];
    const repository = findCommit(name, from, join(work, "repository"));
    const files = join(work, "files");
    mkdirSync(files);
    const archive = git(["-C", repository, "archive", "--format=tar", commit, ...paths]);
    const { status, stderr } = spawnSync("tar", ["-x", "-C", files], { input: archive });
    if (status !== 0) throw new Error(stderr.toString().trim());
    renameSync(files, sourceFolder(name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Fetches what is missing; returns a sentence for each source that could not be had. */
export function fetchSources(from?: string): string[] {
  const problems: string[] = [];
  for (const name of Object.keys(SOURCES) as SourceName[]) {
    if (isFetched(name)) continue;
    try {
      fetchSource(name, from);
    } catch (error) {
      const reason = (error as Error).message.split("\n").at(-1);
      problems.push(`${name} of ${SOURCES[name].repository} could not be fetched: ${reason}`);
    }
  }
  return problems;
}

if (import.meta.main) {
  const at = process.argv.indexOf("--from");
  const problems = fetchSources(at < 0 ? undefined : process.argv[at + 1]);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exit(problems.length > 0 ? 1 : 0);
}
