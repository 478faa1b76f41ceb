// The order of the stores in a scheduled run.
import type { Ctx } from "../../context.server.ts";
import { listShopsAfter } from "../tenants/directory.ts";

const SHOPS_PAGE = 200;

/** `after`: the shop before it in the walk. */
export type Visit = { shop: string; place: number; after: string | null };

/** All shops once, one page in memory at a time, starting where the last run stopped. */
export async function* walkShops(ctx: Ctx, resumeAfter: string | null): AsyncGenerator<Visit> {
  const until = resumeAfter ?? "";
  let previous = resumeAfter;
  let place = 0;
  for (const isSecondHalf of resumeAfter === null ? [true] : [false, true]) {
    for (let after = isSecondHalf ? "" : until; ;) {
      const shops = await listShopsAfter(ctx, after, SHOPS_PAGE);
      for (const shop of shops) {
        if (isSecondHalf && resumeAfter !== null && shop > until) return;
        yield { shop, place, after: previous };
        previous = shop;
        place += 1;
      }
      if (shops.length < SHOPS_PAGE) break;
      after = shops.at(-1) as string;
    }
  }
}
