import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { TagsScreen } from "../components/tags/tags-screen.tsx";
import { performTagAction, TagAction } from "../domain/tags/edit-tags.ts";
import { readTagUsage, TagQuery } from "../domain/tags/tag-usage.ts";
import { answerAction } from "../http/screen-action.ts";
import { visitScreen } from "../http/screen-visit.ts";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const query = TagQuery.parse(Object.fromEntries(new URL(args.request.url).searchParams));
  return { query, usage: await readTagUsage(ctx, tenant, query) };
}

export async function action(args: ActionFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return answerAction(ctx, args.request, TagAction, (asked) => performTagAction(ctx, tenant, asked));
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Tags() {
  return <TagsScreen {...useLoaderData<typeof loader>()} />;
}
