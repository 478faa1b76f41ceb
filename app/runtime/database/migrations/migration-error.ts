// What an operator reads when the schema cannot be updated.
/** Explains in one sentence why the database's schema cannot be updated and what to do. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

export function describe(error: unknown): string {
  const { message, code, detail } = error as { message?: string; code?: string; detail?: string };
  return [message || code || String(error), detail].filter(Boolean).join(" - ");
}

const INSUFFICIENT_PRIVILEGE = "42501";

export function explain(error: unknown): string {
  return (error as { code?: string }).code === INSUFFICIENT_PRIVILEGE
    ? `${describe(error)}. This role may not change the schema: set DIRECT_DATABASE_URL to the role that owns it, or run \`npm run db:migrate\` with it before the service starts`
    : describe(error);
}
