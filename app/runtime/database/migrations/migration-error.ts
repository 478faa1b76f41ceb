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
const OWNERS_SETTING = "DIRECT_DATABASE_URL";

/** `setting`: whose role it was. */
export function explain(error: unknown, setting: string): string {
  if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) return describe(error);
  const remedy =
    setting === OWNERS_SETTING
      ? `${OWNERS_SETTING} needs the role that owns the service's tables, or on a database without them GRANT CREATE ON SCHEMA public TO <role>`
      : `set ${OWNERS_SETTING} to the role that owns it, or run \`npm run db:migrate\` with it before the service starts`;
  return `${describe(error)}. This role may not change the schema: ${remedy}`;
}
