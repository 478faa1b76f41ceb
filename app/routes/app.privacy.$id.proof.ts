// What was done for a privacy request, as a file without personal data.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { findProof } from "../domain/compliance/board/request-list.ts";
import { notFound, rowNumber } from "../http/screens/screen-address.ts";
import { jsonFile } from "../http/screens/screen-file.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  const id = rowNumber(args.params.id);
  return jsonFile(`privacy-request-${id}.json`, (await findProof(ctx, tenant, id)) ?? notFound());
}
