// A page of a screen's list: filters and position are in the URL.
import type { LoaderFunctionArgs } from "@remix-run/node";
import type { z } from "zod";
import { readCursor, readKeyCursor, toCursor, toKeyCursor } from "../paging.ts";
import { toErrorResponse } from "./screen-actions.ts";
import { authenticate, type ScreenContext } from "../../shopify.server.ts";

const PAGE_SIZE = 25;

export type ScreenPage<Filters, Position> = ScreenContext & {
  filters: Filters;
  limit: number;
  /** The end of the previous page. */
  position: Position | null;
  /** The URL parameter of the following page. */
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
  const visit = await authenticate.admin(args);
  const query = Object.fromEntries(new URL(args.request.url).searchParams);
  return {
    ...visit,
    filters: filters.parse(query),
    limit: PAGE_SIZE,
    asked: query.cursor,
    list: `screen/${name}/${visit.tenant.shop}`,
  };
}

/** Throws a response for a position that is damaged or of another list or store. */
export async function readScreenPage<Shape extends z.ZodType>(
  args: LoaderFunctionArgs,
  name: string,
  shape: Shape,
): Promise<ScreenPage<z.output<Shape>, number>> {
  const { asked, list, ...page } = await readPage(args, name, shape);
  const { secrets } = page.ctx;
  return {
    ...page,
    position: await toErrorResponse(() => readCursor(secrets, list, asked)),
    toNext: (next) => (next === null ? null : toCursor(secrets, list, next)),
  };
}

/** The same for lists with text positions. */
export async function readKeyedScreenPage<Shape extends z.ZodType>(
  args: LoaderFunctionArgs,
  name: string,
  shape: Shape,
): Promise<ScreenPage<z.output<Shape>, string>> {
  const { asked, list, ...page } = await readPage(args, name, shape);
  const { secrets } = page.ctx;
  return {
    ...page,
    position: await toErrorResponse(() => readKeyCursor(secrets, list, asked)),
    toNext: (next) => (next === null ? null : toKeyCursor(secrets, list, next)),
  };
}
