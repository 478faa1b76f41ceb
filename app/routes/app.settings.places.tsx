// Where the app shows itself in the store: each place with its state, what it needs, and a test.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { DeferredCard } from "../components/frame/deferred-card.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import { PlaceList, PlaceListWaiting } from "../components/places/place-list.tsx";
import { readPlaces, replacePixelKey, testPlace, turnOnPixel } from "../domain/merchant/places.ts";
import { runGuideAction, reportEmbed } from "../domain/merchant/setup-guide/run-step.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings", "places", "setup-guide", "failures"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return { places: readPlaces(ctx, tenant) };
}

export const action = defineActions({
  check_embed: {
    input: NoInput,
    run: ({ ctx, tenant }) => runGuideAction(ctx, tenant.shop, "check_embed"),
  },
  report_embed: {
    input: z.object({ isActive: z.boolean() }),
    run: ({ ctx, tenant }, { isActive }) => reportEmbed(ctx, tenant.shop, isActive),
  },
  test_pixel: { input: NoInput, run: ({ ctx, tenant }) => testPlace(ctx, tenant, "web_pixel") },
  test_admin_customer: {
    input: NoInput,
    run: ({ ctx, tenant }) => testPlace(ctx, tenant, "admin_customer"),
  },
  test_accounts: {
    input: NoInput,
    run: ({ ctx, tenant }) => testPlace(ctx, tenant, "customer_account"),
  },
  test_flow: { input: NoInput, run: ({ ctx, tenant }) => testPlace(ctx, tenant, "flow") },
  turn_on_pixel: {
    input: NoInput,
    run: ({ ctx, tenant }) => turnOnPixel(ctx, tenant),
  },
  rotate_pixel_key: {
    input: NoInput,
    run: ({ ctx, tenant }) => replacePixelKey(ctx, tenant),
  },
});

export default function Places() {
  const { places } = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage title={t("pages.places.title")} back={{ content: t("title"), to: "/app/settings" }}>
      <DeferredCard answer={places} waiting={<PlaceListWaiting />}>
        {(known) => <PlaceList places={known} />}
      </DeferredCard>
    </ScreenPage>
  );
}
