import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { HomeScreen } from "../components/home/home-screen.tsx";
import { readHome } from "../domain/merchant/home/read-home.ts";
import { setGuideDismissed } from "../domain/merchant/setup-guide/dismissal.ts";
import { countNamedCustomers, readStoreOverview } from "../domain/merchant/home/store-overview.ts";
import { defineShopActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["home", "setup-guide", "failures"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, shop, tenant, recordAccess } = await authenticate.shop(args);
  const overview = readStoreOverview(ctx, tenant).then(async (found) => {
    const named = countNamedCustomers(found);
    if (named > 0) await recordAccess({ action: "listed", count: named });
    return found;
  });
  return { ...(await readHome(ctx, shop, tenant)), overview };
}

export const action = defineShopActions({
  dismiss_guide: { input: NoInput, run: ({ ctx, shop }) => setGuideDismissed(ctx, shop, true) },
});

export default function Home() {
  return <HomeScreen {...useLoaderData<typeof loader>()} />;
}
