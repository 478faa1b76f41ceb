// Two people who change one setting at the same time: a form sends the version of each field that it
// was shown, and the later save is rejected with the fields that have another version by then. A save
// that was stored and is sent again because its answer was lost changes nothing: it is no conflict.
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../../context.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { sameProblem } from "../../../runtime/field-problem.ts";
import type { TenantFieldName } from "../tenant-config.ts";
import { openFields } from "../tenant-record.ts";
import type { Tenant } from "../tenant.ts";
import type { FieldPatch } from "./field-patch.ts";

/** A field's name to the version of its saved value. */
export type FieldVersions = Readonly<Record<string, string>>;

const LENGTH = 16;

/** A keyed hash, so that a secret's version says nothing about the secret. */
export const versionOf = (
  ctx: Ctx,
  { shop, saved }: Pick<Tenant, "shop" | "saved">,
  name: TenantFieldName,
): string =>
  ctx.secrets
    .pseudonym(`${shop}/${name}/version`, JSON.stringify(saved[name] ?? null))
    .slice(0, LENGTH);

/**
 * Throws `conflict` with the fields that were changed meanwhile to another value than the patch has. A
 * field that the form sent no version of is not compared.
 */
export function requireUnchanged(
  ctx: Ctx,
  tenant: Tenant,
  patch: FieldPatch,
  seen: FieldVersions,
): void {
  const names = [...Object.keys(patch.set), ...patch.remove];
  const wanted = openFields(ctx.secrets, tenant.shop, patch.set, names);
  const changed = names.filter(
    (name) =>
      seen[name] !== undefined &&
      seen[name] !== versionOf(ctx, tenant, name as TenantFieldName) &&
      !isDeepStrictEqual(wanted[name], tenant.saved[name]),
  );
  if (changed.length > 0)
    throw new AppError("conflict", {
      message: "Somebody else changed these settings meanwhile.",
      ...sameProblem(changed, { code: "changedMeanwhile", reason: "was changed meanwhile" }),
    });
}
