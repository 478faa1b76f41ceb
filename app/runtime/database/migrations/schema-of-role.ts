// Which schema a role works in. Prisma names `public` in every statement and the others name none, so that they only
// meet where the role's search path leads to it.
import { MigrationError } from "./migration-error.ts";

const SCHEMA = "public";

export type RoleAtSchema = {
  role: string;
  /** Null: it may use none of its search path. */
  schema: string | null;
};

export const ROLE_AT_SCHEMA = "SELECT current_user::text AS role, current_schema()::text AS schema";

/** `setting`: the one with the role's address. */
export function refuseOtherSchema({ role, schema }: RoleAtSchema, setting: string): void {
  if (schema === SCHEMA) return;
  throw new MigrationError(
    schema === null
      ? `The role ${role} of ${setting} may not use the schema ${SCHEMA}: GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role}, as the schema's owner.`
      : `The service works in the schema ${SCHEMA}, and the search_path of the role ${role} of ${setting} leads to ${schema}: ALTER ROLE ${role} SET search_path = ${SCHEMA}.`,
  );
}
