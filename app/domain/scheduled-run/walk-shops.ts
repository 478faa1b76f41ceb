// The order of the stores in a scheduled run.
import type { Ctx } from "../../context.server.ts";
import { listShopsAfter } from "../tenants/directory.ts";

const SHOPS_PAGE = 200;

/** `after`: the shop before it in the walk. */
export type Visit = { shop: string; place: number; after: string | null };

/** All shops once, one page in memory at a time, starting where the last run stopped. */
export async function* walkShops(ctx: Ctx, resumeAfter: string | null): AsyncGenerator<Visit> {
  let previous = resumeAfter;
  let place = 0;
  for await (const shop of shopsFrom(ctx, resumeAfter)) {
    yield { shop, place, after: previous };
    previous = shop;
    place += 1;
  }
}

/** The shops behind `resumeAfter`, then those up to it. */
async function* shopsFrom(ctx: Ctx, resumeAfter: string | null): AsyncGenerator<string> {
  yield* shopsBehind(ctx, resumeAfter ?? "");
  if (resumeAfter === null) return;
  for await (const shop of shopsBehind(ctx, "")) {
    if (shop > resumeAfter) return;
    yield shop;
  }
}

async function* shopsBehind(ctx: Ctx, start: string): AsyncGenerator<string> {
  let shops: string[];
  let after = start;
  do {
    shops = await listShopsAfter(ctx, after, SHOPS_PAGE);
    yield* shops;
    after = shops.at(-1) ?? after;
  } while (shops.length === SHOPS_PAGE);
}
