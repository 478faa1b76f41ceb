import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { CustomerScreen } from "../components/customers/customer-screen.tsx";
import { CustomerAction, performCustomerAction, readCustomer, readOrders } from "../domain/customer-screen.ts";
import { answerAction } from "../http/screen-action.ts";
import { notFound, rowNumber, visitScreen } from "../http/screen-visit.ts";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const before = new URL(args.request.url).searchParams.get("before");
  const shown = (await readCustomer(ctx, tenant, rowNumber(args.params.id), /^\d{1,9}$/.test(before ?? "") ? Number(before) : null)) ?? notFound();
  return { ...shown, orders: readOrders(ctx, tenant, shown.customer.id, shown.customer.gid) };
}

export async function action(args: ActionFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const id = rowNumber(args.params.id);
  return answerAction(ctx, args.request, CustomerAction, (asked) => performCustomerAction(ctx, tenant, id, asked));
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Customer() {
  return <CustomerScreen {...useLoaderData<typeof loader>()} />;
}
