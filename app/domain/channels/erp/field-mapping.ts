// Applies a store's mapping to an event. Pure. Source paths read own properties only; a bare path
// starts in the payload, a path that starts with a field of the envelope (`event_type`,
// `payload.x`) starts there. `[]` iterates a list, on both sides.
import { PermanentFailure } from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import type { Mapping } from "../../events/mappings.ts";
import { fieldsOf, ownField, type Fields } from "../payload-fields.ts";

/** A name, an index, or `[]` for each element of a list. */
type Step = string | number;

const toSteps = (path: string): Step[] =>
  path.split(".").flatMap((part) => {
    const [name = "", ...indexes] = part.split("[");
    return [
      /^\d+$/.test(name) ? Number(name) : name,
      ...indexes.map((index) => (index === "]" ? "[]" : Number(index.slice(0, -1)))),
    ];
  });

function read(value: unknown, steps: readonly Step[]): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === "[]")
    return Array.isArray(value) ? value.map((one: unknown) => read(one, rest) ?? null) : undefined;
  if (Array.isArray(value)) return typeof step === "number" ? read(value[step], rest) : undefined;
  const fields = fieldsOf(value);
  return Object.hasOwn(fields, step) ? read(fields[step], rest) : undefined;
}

/**
 * `items[].sku` puts each element of a list into its own object, next to the values of other
 * targets.
 */
function write(node: Fields, steps: readonly Step[], value: unknown): void {
  const [name, next, ...rest] = steps as [string, ...Step[]];
  const known = ownField(node, name);
  if (next === undefined) {
    node[name] = value;
    return;
  }
  if (next !== "[]") {
    const fields = fieldsOf(known);
    node[name] = fields;
    write(fields, [next, ...rest], value);
    return;
  }
  const values = Array.isArray(value) ? value : [value];
  if (rest.length === 0) {
    node[name] = values;
    return;
  }
  const list: unknown[] = Array.isArray(known) ? known : [];
  node[name] = list;
  for (const [index, one] of values.entries()) {
    const fields = fieldsOf(list[index]);
    list[index] = fields;
    write(fields, rest, one);
  }
}

const isMissing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (Array.isArray(value) && (value.length === 0 || value.some(isMissing)));

/** Throws PermanentFailure naming every missing required field. */
export function applyMapping({ fields, required }: Mapping, envelope: Fields): Fields {
  const rootOf = (steps: readonly Step[]) =>
    typeof steps[0] === "string" && Object.hasOwn(envelope, steps[0]) ? envelope : envelope.payload;
  const found = Object.entries(fields).map(([target, source]) => {
    const steps = toSteps(source);
    return { target, value: read(rootOf(steps), steps) };
  });
  const missing = required.filter((name) =>
    isMissing(found.find(({ target }) => target === name)?.value),
  );
  if (missing.length > 0) throw new PermanentFailure(OWN_FAILURES.fieldsMissing.text(missing));
  const mapped: Fields = {};
  for (const { target, value } of found)
    if (value !== undefined) write(mapped, toTargetSteps(target), value);
  return mapped;
}

/** Numbers in a target are names: they make objects; only `[]` makes lists. */
const toTargetSteps = (target: string): Step[] =>
  target.split(".").flatMap((part) => (part.endsWith("[]") ? [part.slice(0, -2), "[]"] : [part]));
