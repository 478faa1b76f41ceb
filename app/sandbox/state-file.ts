/** The sandbox's state on disk: one JSON file, replaced atomically (temp file + rename). */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export type Saving = {
  /**
   * Before a response that issues a token: the client keeps the token, so the sandbox must know it
   * after a restart.
   */
  now(): void;
  /** Debounced: many changes in one write. */
  soon(): void;
};

const DEBOUNCE_MS = 200;
const AGAIN_MS = 1_000;

export function openStateFile<State extends object>(
  path: string | undefined,
  empty: State,
): { state: State; saving: Saving; close(): void } {
  const state = path && existsSync(path) ? { ...empty, ...readState<State>(path) } : empty;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!path) return;
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, JSON.stringify(state), { mode: 0o600 });
    renameSync(temporary, path);
  };
  let isFailing = false;
  /** A full disk must not end the process: what is not saved is saved once there is room. */
  const writeLater = (ms: number): void => {
    timer = setTimeout(() => {
      try {
        write();
        isFailing = false;
      } catch (error) {
        if (!isFailing)
          process.stderr.write(`The sandbox's state is not saved: ${String(error)}\n`);
        isFailing = true;
        writeLater(AGAIN_MS);
      }
    }, ms).unref();
  };
  return {
    state,
    saving: {
      now: write,
      soon: () => {
        if (path && timer === undefined) writeLater(DEBOUNCE_MS);
      },
    },
    close: write,
  };
}

class StateFileError extends Error {
  override name = "StateFileError";
}

function readState<State>(path: string): Partial<State> {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Partial<State>;
  } catch (error) {
    throw new StateFileError(
      `${path} is not a sandbox state file. Run \`npm run demo:reset\` to start over.`,
      { cause: error },
    );
  }
}
