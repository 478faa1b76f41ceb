import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { CustomersScreen } from "../components/customers/customers-screen.tsx";
import { ListAction, performListAction, readCustomerList } from "../domain/customers/list-screen.ts";
import { answerAction } from "../http/screen-action.ts";
import { visitScreen } from "../http/screen-visit.ts";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return readCustomerList(ctx, tenant, new URL(args.request.url).searchParams);
}

export async function action(args: ActionFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return answerAction(ctx, args.request, ListAction, (asked) => performListAction(ctx, tenant, asked));
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Customers() {
  return <CustomersScreen {...useLoaderData<typeof loader>()} />;
}
