import type { HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { z } from "zod";
import { CustomerScreen } from "../components/customers/customer-screen.tsx";
import { eraseForMerchant } from "../domain/compliance/merchant-requests.ts";
import {
  changeTags,
  readCustomer,
  readOrders,
  retryDelivery,
  TagChange,
} from "../domain/customer-screen.ts";
import { changeAccountStatus } from "../domain/identity/account-status.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { notFound, rowNumber, visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  const before = new URL(args.request.url).searchParams.get("before");
  const shown =
    (await readCustomer(
      ctx,
      tenant,
      rowNumber(args.params.id),
      /^\d{1,9}$/.test(before ?? "") ? Number(before) : null,
    )) ?? notFound();
  return { ...shown, orders: readOrders(ctx, tenant, shown.customer.id, shown.customer.gid) };
}

export const action = deeds({
  tags: deed(TagChange, ({ ctx, tenant, named }, change) =>
    changeTags(ctx, tenant, rowNumber(named.id), change),
  ),
  status: deed(
    z.object({ status: z.enum(["active", "suspended"]) }),
    async ({ ctx, tenant, named }, { status }) =>
      void (await changeAccountStatus(ctx, tenant, rowNumber(named.id), status)),
  ),
  retry: deed(
    z.object({ channel: z.string().max(80) }),
    async ({ ctx, tenant, named }, { channel }) => ({
      requeued: await retryDelivery(ctx, tenant, rowNumber(named.id), channel),
    }),
  ),
  erase: deed(z.object({ typed: z.string().max(400) }), ({ ctx, tenant, named }, { typed }) =>
    eraseForMerchant(ctx, tenant, rowNumber(named.id), typed),
  ),
});

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Customer() {
  return <CustomerScreen {...useLoaderData<typeof loader>()} />;
}
