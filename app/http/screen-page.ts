// A page of a screen's list: filters and position stand in the address.
import type { LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { readCursor, readKeyCursor, toCursor, toKeyCursor } from "./paging.ts";
import { orAnswer } from "./screen-deeds.ts";
import { visitScreen, type ScreenVisit } from "./screen-visit.ts";

const PAGE_SIZE = 25;

export type ScreenPage<Filters, Position> = ScreenVisit & {
  filters: Filters;
  limit: number;
  /** Where the former page ended. */
  position: Position | null;
  /** What to put into the address for the page after this one. */
  toNext(next: Position | null): string | null;
};

type PageOf<Shape extends z.ZodType> = Omit<
  ScreenPage<z.output<Shape>, number>,
  "position" | "toNext"
> & { asked: string | undefined; list: string };

async function readPage<Shape extends z.ZodType>(
  args: LoaderFunctionArgs,
  name: string,
  filters: Shape,
): Promise<PageOf<Shape>> {
  const visit = await visitScreen(args);
  const query = Object.fromEntries(new URL(args.request.url).searchParams);
  return {
    ...visit,
    filters: filters.parse(query),
    limit: PAGE_SIZE,
    asked: query.cursor,
    list: `screen/${name}/${visit.tenant.shop}`,
  };
}

/** Throws the answer for a position that is damaged or of another list or store. */
export async function readScreenPage<Shape extends z.ZodType>(
  args: LoaderFunctionArgs,
  name: string,
  shape: Shape,
): Promise<ScreenPage<z.output<Shape>, number>> {
  const { asked, list, ...page } = await readPage(args, name, shape);
  const { secrets } = page.ctx;
  return {
    ...page,
    position: await orAnswer(() => readCursor(secrets, list, asked)),
    toNext: (next) => (next === null ? null : toCursor(secrets, list, next)),
  };
}

/** The same for lists whose positions are texts. */
export async function readKeyedScreenPage<Shape extends z.ZodType>(
  args: LoaderFunctionArgs,
  name: string,
  shape: Shape,
): Promise<ScreenPage<z.output<Shape>, string>> {
  const { asked, list, ...page } = await readPage(args, name, shape);
  const { secrets } = page.ctx;
  return {
    ...page,
    position: await orAnswer(() => readKeyCursor(secrets, list, asked)),
    toNext: (next) => (next === null ? null : toKeyCursor(secrets, list, next)),
  };
}
