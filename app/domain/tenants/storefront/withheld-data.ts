// Protected customer data (shopify.dev "Protected customer data"): for what the app is not approved,
// the Admin API answers null beside an error. Such an answer is taken without the withheld parts, so
// that a null is never read as an empty field; the tenant keeps which parts are missing, and since when.
import type { Ctx } from "../../../context.server.ts";
import type { GraphqlAnswer } from "../../../integrations/storefront/graphql-answer.ts";
import { changeTenantRecord } from "../tenant-record.ts";
import { findCachedTenant, type WithheldPart } from "../tenant.ts";

type GraphqlError = GraphqlAnswer<unknown>["errors"][number];
type Path = readonly (string | number)[];

const WITHHELD = /not approved to (?:use|access) the \W?(\w+)/i;
const MAX_PARTS = 30;

const isWithheld = ({ message, extensions }: GraphqlError): boolean =>
  extensions?.code === "ACCESS_DENIED" && WITHHELD.test(message);

/**
 * The data without its withheld parts: they are absent, not null. Null when there are other errors,
 * or when what the call asked for is withheld itself.
 */
export function takeData<T>({ data, errors }: GraphqlAnswer<T>): T | null {
  if (data === null || errors.length === 0) return data;
  if (!errors.every(isWithheld)) return null;
  const taken = structuredClone(data);
  return errors.every(({ path }) => path && removeAt(taken, path)) ? taken : null;
}

/** Removes the first empty value on the path; false when that is a whole root field or an array's item. */
function removeAt(data: unknown, path: Path): boolean {
  let holder = data;
  for (const [depth, step] of path.entries()) {
    const values = holder as Record<string | number, unknown>;
    const value = values[step];
    if (value === undefined) return true;
    if (value === null) {
      if (depth === 0 || Array.isArray(values)) return false;
      delete values[step];
      return true;
    }
    holder = value;
  }
  return false;
}

/** Keeps on the tenant what this answer withheld, and drops what it proved to be granted. */
export async function noteWithheld(
  ctx: Ctx,
  shop: string,
  { data, errors }: GraphqlAnswer<unknown>,
): Promise<void> {
  const tenant = await findCachedTenant(ctx, shop);
  const known = tenant?.connection.withheld_data;
  const found = errors.filter(isWithheld).map(toPart);
  if (!tenant || (!known && found.length === 0)) return;
  const before = known?.parts ?? [];
  const parts = [...found, ...before]
    .filter(({ name }, index, all) => all.findIndex((other) => other.name === name) === index)
    .filter((part) => found.some(({ name }) => name === part.name) || !isGranted(data, part))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, MAX_PARTS);
  const isSame =
    parts.length === before.length &&
    parts.every(({ name }, place) => before[place]?.name === name);
  if (isSame) return;
  await changeTenantRecord(ctx, shop, {
    connection: {
      withheld_data:
        parts.length > 0 ? { since: known?.since ?? ctx.clock.now().toISOString(), parts } : null,
    },
  });
  ctx.log.info("storefront.data_withheld", { shop, names: parts.map(({ name }) => name) });
}

function toPart({ message, path = [] }: GraphqlError): WithheldPart {
  const name = WITHHELD.exec(message)?.[1] ?? "";
  const field = path.findLast((step) => typeof step === "string");
  return { name, field: typeof field === "string" ? field : name };
}

/**
 * Whether the data proves that the part is granted: it holds the field, or for an object (`Customer`)
 * a value in the field that was empty, or its id.
 */
function isGranted(data: unknown, { name, field }: WithheldPart): boolean {
  const isObject = /^[A-Z]/.test(name);
  const gid = `gid://shopify/${name}/`;
  const holds = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    if (Array.isArray(value)) return value.some(holds);
    return Object.entries(value).some(
      ([key, inner]) =>
        (key === field && (!isObject || inner !== null)) ||
        (isObject && key === "id" && typeof inner === "string" && inner.startsWith(gid)) ||
        holds(inner),
    );
  };
  return holds(data);
}
