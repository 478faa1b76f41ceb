import type { HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { z } from "zod";
import { TagsScreen } from "../components/tags/tags-screen.tsx";
import {
  createTag,
  deleteUnusedTag,
  NamedTag,
  NewTag,
  RenamedTag,
  renameTag,
} from "../domain/tags/edit-tags.ts";
import { initTagStep, TAG_STEPS } from "../domain/tags/init-tag-system.ts";
import { readTagUsage, TagQuery } from "../domain/tags/tag-usage.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const query = TagQuery.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  return { query, usage: await readTagUsage(ctx, tenant, query) };
}

export const action = deeds({
  create: deed(NewTag, ({ ctx, tenant }, tag) => createTag(ctx, tenant, tag)),
  rename: deed(RenamedTag, ({ ctx, tenant }, tag) => renameTag(ctx, tenant, tag)),
  delete: deed(NamedTag, ({ ctx, tenant }, tag) => deleteUnusedTag(ctx, tenant, tag)),
  prepare: deed(z.object({ step: z.enum(TAG_STEPS) }), ({ ctx, tenant }, { step }) =>
    initTagStep(ctx, tenant, step),
  ),
});

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Tags() {
  return <TagsScreen {...useLoaderData<typeof loader>()} />;
}
