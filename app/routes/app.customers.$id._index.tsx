import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { CustomerScreen } from "../components/customers/detail/customer-screen.tsx";
import { eraseForMerchant } from "../domain/compliance/requests/merchant-requests.ts";
import { readCustomer } from "../domain/merchant/customer-screen.ts";
import { changeTagsAsStaff, TagChange } from "../domain/merchant/customer/change-tags.ts";
import { readOrders } from "../domain/merchant/customer/orders.ts";
import { retryDelivery } from "../domain/merchant/customer/systems.ts";
import { TimelineQuery } from "../domain/merchant/customer/timeline.ts";
import { changeAccountStatus } from "../domain/identity/account-status.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { notFound, rowNumber } from "../http/screens/screen-address.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["customer", "customers", "deliveries"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, recordAccess } = await authenticate.admin(args);
  const { searchParams } = new URL(args.request.url);
  const query = TimelineQuery.parse({
    kind: searchParams.get("kind"),
    before: searchParams.get("before"),
  });
  const shown = (await readCustomer(ctx, tenant, rowNumber(args.params.id), query)) ?? notFound();
  await recordAccess({ action: "viewed", userIds: [shown.customer.id] });
  return { ...shown, orders: readOrders(ctx, tenant, shown.customer.id, shown.customer.gid) };
}

export const action = defineActions({
  tags: {
    input: TagChange,
    access: "changed",
    run: ({ ctx, tenant, params }, change) =>
      changeTagsAsStaff(ctx, tenant, rowNumber(params.id), change),
  },
  status: {
    input: z.object({ status: z.enum(["active", "suspended"]) }),
    access: "changed",
    run: async ({ ctx, tenant, params }, { status }) =>
      void (await changeAccountStatus(ctx, tenant, rowNumber(params.id), status)),
  },
  retry: {
    input: z.object({ channel: z.string().max(80) }),
    run: async ({ ctx, tenant, params }, { channel }) => ({
      requeued: await retryDelivery(ctx, tenant, rowNumber(params.id), channel),
    }),
  },
  erase: {
    input: z.object({ typed: z.string().max(400) }),
    access: "erased",
    run: ({ ctx, tenant, params }, { typed }) =>
      eraseForMerchant(ctx, tenant, rowNumber(params.id), typed),
  },
});

export default function Customer() {
  return <CustomerScreen {...useLoaderData<typeof loader>()} />;
}
