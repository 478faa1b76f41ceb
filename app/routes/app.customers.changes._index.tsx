// The bulk changes of customers: by whom, of whom, and what came of them.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { ChangesScreen } from "../components/customers/changes/changes-screen.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { cancelRun, CancelledRun } from "../domain/customers/bulk/cancel-run.ts";
import { listRuns } from "../domain/customers/bulk/list-runs.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { readKeyedScreenPage } from "../http/screens/screen-page.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["changes", "customers"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, limit, position, toNext } = await readKeyedScreenPage(
    args,
    "bulk_changes",
    z.object({}),
  );
  const { next, ...page } = await listRuns(await forReading(ctx, tenant), tenant, {
    limit,
    after: position,
  });
  return { ...page, next: toNext(next) };
}

export const action = defineActions({
  cancel_run: {
    input: CancelledRun,
    run: async ({ ctx, tenant }, { id }) => ({ run: await cancelRun(ctx, tenant, id) }),
  },
});

export default function BulkChanges() {
  return <ChangesScreen {...useLoaderData<typeof loader>()} />;
}
