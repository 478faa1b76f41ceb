// Segments that a store of this kind works with.
import { countSegments } from "../domain/customers/segments/count-segments.ts";
import { createSegment, NewSegment } from "../domain/customers/segments/edit-segments.ts";
import { dataOf } from "../domain/tenants/tenant.ts";
import type { Demo } from "./demo.ts";

const SEGMENTS = [
  {
    name: "VIPs who accept marketing",
    filter: { tag: ["vip"], consent: ["marketing"] },
    sort: "updated desc",
  },
  {
    name: "At risk in Germany",
    filter: { tag: ["at_risk"], country: "DE" },
    sort: "updated desc",
  },
  {
    name: "Declined or withdrew marketing",
    filter: { consent: ["revoked-marketing"] },
    sort: "updated desc",
  },
] as const;

/** Safe to repeat: a segment whose name is there is left as it is. */
export async function saveSegments({ ctx, tenant }: Demo): Promise<void> {
  const known = await dataOf(ctx, tenant).prisma.segment.findMany({ select: { name: true } });
  for (const segment of SEGMENTS)
    if (!known.some(({ name }) => name === segment.name))
      await createSegment(ctx, tenant, NewSegment.parse(segment));
  await countSegments(ctx, tenant);
}
