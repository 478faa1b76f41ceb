// How far the check of the consent log is.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { readVerification } from "../domain/consent/verification-run.ts";
import { visitScreen } from "../http/screen-visit.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await visitScreen(args);
  return Response.json({ run: await readVerification(ctx, tenant) });
}
