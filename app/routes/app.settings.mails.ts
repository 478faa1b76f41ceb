// The store's mails with sample data: a preview, and a test to the merchant's own address.
import { data, type LoaderFunctionArgs } from "@remix-run/node";
import {
  renderSample,
  SampleAddress,
  SampleToSend,
  sendSample,
} from "../domain/merchant/mail-samples.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { tenant } = await authenticate.admin(args);
  const query = Object.fromEntries(new URL(args.request.url).searchParams);
  const address = SampleAddress.safeParse(query);
  if (!address.success) throw data({ code: "not_found" }, { status: 404 });
  return Response.json(renderSample(tenant, address.data), {
    headers: { "Cache-Control": "no-store" },
  });
}

export const action = defineActions({
  send: {
    input: SampleToSend,
    run: ({ ctx, tenant }, sample) => sendSample(ctx, tenant, sample),
  },
});
