// A segment: a named filter of the customer list that a store's staff share. It has no search text: that
// may be a person's name or address, and would outlive that person's erasure.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Segment as SegmentRow } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { CustomerFilter } from "../list/customer-filter.ts";
import { SORTS, type Sort } from "../list/list-customers.ts";

export const MAX_SEGMENTS = 100;
const MAX_VALUES = 100;

/**
 * The filter of the list without its leniency: a part that is not understood is an error, because a
 * segment without it would mean more customers.
 */
export const SegmentFilter = z
  .record(z.string().max(40), z.unknown())
  .refine((asked) => Object.keys(asked).length <= MAX_VALUES)
  .transform((asked, context) => {
    const named = Object.entries(asked).filter(([, value]) => value !== null);
    const filter = CustomerFilter.omit({ q: true }).parse(Object.fromEntries(named));
    for (const [name, value] of named) {
      const read = (filter as Record<string, unknown>)[name];
      if (read === undefined || isShortened(value, read))
        context.addIssue({ code: "custom", path: [name], message: "is not understood" });
    }
    return filter;
  });
export type SegmentFilter = z.output<typeof SegmentFilter>;

/** Whether a list has lost values. One that has a value twice has lost none. */
const isShortened = (value: unknown, read: unknown): boolean =>
  Array.isArray(read) &&
  read.length !== new Set(Array.isArray(value) ? value : String(value).split(",")).size;

export const SegmentName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(/^\P{Cc}*$/u)
  .transform((name) => name.normalize("NFC"));
export const SegmentSort = z.enum(SORTS).catch("updated desc" as const);
export const SegmentId = z.uuid();

export type Segment = {
  id: string;
  name: string;
  filter: SegmentFilter;
  sort: Sort;
  /** Raised by each change. */
  version: number;
};

export type StoredSegment = Pick<SegmentRow, "id" | "name" | "sort" | "version"> & {
  filter: unknown;
};

/** Null for a filter that another version stored and this one does not understand. */
export function toSegment({ id, name, filter, sort, version }: StoredSegment): Segment | null {
  const understood = SegmentFilter.safeParse(filter).data;
  return understood
    ? { id, name, filter: understood, sort: SegmentSort.parse(sort), version }
    : null;
}

/** Throws `not_found`, also for an id that is none. */
export async function getSegment(ctx: Ctx, tenant: Tenant, id: string): Promise<Segment> {
  const row = SegmentId.safeParse(id).success
    ? await dataOf(ctx, tenant).prisma.segment.findUnique({
        where: { shop_id: { shop: tenant.shop, id } },
      })
    : null;
  const segment = row && toSegment(row);
  if (!segment) throw new AppError("not_found", { message: "There is no such segment." });
  return segment;
}
