// The one kind of error the embedded database throws: a sentence that says what is wrong and what to do.

export class EmbeddedPostgresError extends Error {
  override name = "EmbeddedPostgresError";
}

const reasons: Record<string, string> = {
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a part of the path is a file, not a folder",
  EBUSY: "it is a mount point; choose a folder inside it",
  EXDEV: "it is a mount point; choose a folder inside it",
};

/**
 * Turns a failed file operation into a sentence; `what` reads like "The database folder /x cannot
 * be created".
 */
export function explainFileError(error: unknown, what: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const user = process.getuid ? ` by user ${process.getuid()}` : "";
  return new EmbeddedPostgresError(
    `${what}${user}: ${reasons[code ?? ""] ?? message}. Free or open that place, choose another one, or set DATABASE_URL to use your own PostgreSQL.`,
  );
}
