// Validates an untrusted JSON object of fields: unknown fields are named, values validated, secrets
// encrypted; `null` removes a field, and a masked secret leaves it unchanged. Used for tenant and
// platform configuration.
import { z } from "zod";
import { AppError } from "../../../runtime/errors.ts";
import { toFields, type FieldProblem } from "../../../runtime/field-problem.ts";
import type { Secrets } from "../../../runtime/secrets.ts";
import { findAddressProblem, type AddressRules } from "../../../runtime/tenant-address.ts";
import { toFieldProblem } from "./field-reasons.ts";
import { isMask, isMaskedQuery, isSigned, maskQuery } from "./masking.ts";
import type { TenantField } from "../tenant-config.ts";

export type FieldTable = Record<string, TenantField>;
export type FieldPatch = { set: Record<string, unknown>; remove: string[] };

/**
 * The body that `buildFieldPatch` validates. Zod leaves a field `__proto__` out of a record, and it would
 * not be named.
 */
export const fieldsBody = (example: Record<string, unknown>) =>
  z.preprocess(
    (body) => {
      if (typeof body === "object" && body !== null && Object.hasOwn(body, "__proto__"))
        throw unknownFields(["__proto__"]);
      return body;
    },
    z.record(z.string(), z.unknown()).meta({ examples: [example] }),
  );

type PatchOptions = {
  table: FieldTable;
  /** The stored values, decrypted. */
  current: Record<string, unknown>;
  /** Secrets are encrypted for this place, usually the shop. */
  place: string;
  secrets: Secrets;
  addressRules: AddressRules;
};

export function buildFieldPatch(input: Record<string, unknown>, options: PatchOptions): FieldPatch {
  const { table, place, secrets } = options;
  requireKnown(Object.keys(input), table);
  const patch: FieldPatch = { set: {}, remove: [] };
  const wrong: [name: string, problem: FieldProblem][] = [];
  for (const [name, value] of Object.entries(input)) {
    const field = table[name];
    if (!field) continue;
    if (value === null) {
      patch.remove.push(name);
      continue;
    }
    const read = readField(field, value, options.current[name], options.addressRules);
    if ("problem" in read) wrong.push([name, read.problem]);
    else if ("value" in read)
      patch.set[name] = isSecret(field, read.value)
        ? secrets.seal(`${place}/${name}`, String(read.value))
        : read.value;
  }
  if (wrong.length > 0) throw new AppError("invalid_request", toFields(wrong));
  return patch;
}

function requireKnown(names: readonly string[], table: FieldTable): void {
  const unknown = names.filter((name) => !Object.hasOwn(table, name));
  if (unknown.length > 0) throw unknownFields(unknown);
}

const unknownFields = (names: readonly string[]) =>
  new AppError("unknown_fields", {
    message: `Not known: ${names.join(", ")}.`,
    fields: Object.fromEntries(names.map((name) => [name, "is not a known field"])),
  });

type ReadField = { value: unknown } | { problem: FieldProblem } | { isUnchanged: true };
const UNCHANGED: ReadField = { isUnchanged: true };

/** `stored`: the value that the field has now. A mask that comes back from a form changes nothing. */
function readField(
  field: TenantField,
  value: unknown,
  stored: unknown,
  rules: AddressRules,
): ReadField {
  if (field.secret && isMask(value)) {
    // Also a mask of an older secret: a token may be refreshed while a form is open.
    return stored === undefined
      ? maskedValue("is a masked value; send the whole secret")
      : UNCHANGED;
  }
  if (field.mayBePresigned && isMaskedQuery(value)) {
    return value === maskQuery(String(stored))
      ? UNCHANGED
      : maskedValue("is a masked value; send the whole address");
  }
  const parsed = field.schema.safeParse(value);
  const [issue] = parsed.error?.issues ?? [];
  const problem = issue ? toFieldProblem(issue) : addressProblem(field, parsed.data, rules);
  return problem ? { problem } : { value: parsed.data };
}

const maskedValue = (reason: string): ReadField => ({ problem: { code: "maskedValue", reason } });

const isSecret = (field: TenantField, value: unknown): boolean =>
  field.secret === true || (field.mayBePresigned === true && isSigned(String(value)));

const addressProblem = (
  field: TenantField,
  value: unknown,
  rules: AddressRules,
): FieldProblem | undefined =>
  field.calledByUs && typeof value === "string" ? findAddressProblem(value, rules) : undefined;
