import type { HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { CustomersScreen } from "../components/customers/customers-screen.tsx";
import { deleteView, saveView, View } from "../domain/customers/customer-views.ts";
import { readCustomerList } from "../domain/customers/list-screen.ts";
import { requestSync } from "../domain/customers/sync-request.ts";
import { previewTagRun, startTagRun, TagRunInput } from "../domain/customers/tag-runs.ts";
import { deed, deeds, NOTHING_TO_SAY } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return readCustomerList(ctx, tenant, new URL(args.request.url).searchParams);
}

export const action = deeds({
  sync: deed(NOTHING_TO_SAY, ({ ctx, tenant }) => requestSync(ctx, tenant.shop)),
  save_view: deed(View, ({ ctx, tenant }, view) => saveView(ctx, tenant, view)),
  delete_view: deed(View.pick({ name: true }), ({ ctx, tenant }, view) =>
    deleteView(ctx, tenant, view),
  ),
  preview_tags: deed(TagRunInput, async ({ ctx, tenant }, run) => ({
    preview: await previewTagRun(ctx, tenant, run),
  })),
  start_tags: deed(TagRunInput, async ({ ctx, tenant }, run) => ({
    run: await startTagRun(ctx, tenant, run),
  })),
});

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Customers() {
  return <CustomersScreen {...useLoaderData<typeof loader>()} />;
}
