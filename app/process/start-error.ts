// Why the process does not start.

/** A cause outside the service, with what to do about it. */
export class StartError extends Error {
  override name = "StartError";
}

export type ListenError = NodeJS.ErrnoException & {
  port?: number;
  address?: string;
  hostname?: string;
};

export function explainListening(error: ListenError, setting: "PORT" | "SANDBOX_PORT"): StartError {
  const rest = `set ${setting} to a free one (0 picks one).`;
  if (error.code === "EADDRINUSE")
    return new StartError(`Port ${error.port} is in use. Stop the other program, or ${rest}`);
  if (error.code === "EACCES")
    return new StartError(`Port ${error.port} is not open to this user account: ${rest}`);
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return new StartError(
      `This machine has no address ${error.address ?? error.hostname}: set HOST to one of its own (0.0.0.0 is all of them).`,
    );
  return new StartError(error.message);
}

/** `error`: of the sandbox, which calls the service at its own address to fill the demo store. */
export function explainUnreachable(error: NodeJS.ErrnoException, baseUrl: string): Error {
  if (error.code === undefined) return error;
  return new StartError(
    `The sandbox cannot reach the service at ${baseUrl} (${error.message}). Start what leads there, or remove BASE_URL.`,
  );
}

/** Errors whose message says what to do. */
const EXPLAINED: ReadonlySet<string> = new Set([
  "ConfigError",
  "EmbeddedPostgresError",
  "LocalSecretsError",
  "MigrationError",
  "SecretsKeyError",
  "StartError",
  "StateFileError",
]);

/** Ends the process with a sentence for the person at the terminal; only our own bugs show a stack. */
export function refuseToStart(error: unknown): never {
  const { name, message, stack, code } = error as Error & { code?: string };
  const isExplained = EXPLAINED.has(name) || code !== undefined;
  process.stderr.write(`${isExplained ? message : stack}\n`);
  process.exit(1);
}
