// Whether a privacy request has made progress since the screen was loaded. Holds no data of people,
// so that waiting for an erasure is not recorded as an access.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readProgressMark } from "../domain/compliance/board/request-list.ts";
import { authenticate } from "../shopify.server.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return Response.json({ mark: await readProgressMark(ctx, tenant) });
}
