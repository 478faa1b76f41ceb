// Where shoppers are asked for consent: the store's rules by region, and what the platform has of them.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { DeferredCard } from "../components/frame/deferred-card.tsx";
import { PlatformCard, PlatformCardWaiting } from "../components/regions/platform-card.tsx";
import { RulesForm } from "../components/regions/rules-form.tsx";
import { disablePlatformBanner, writeRegionPolicies } from "../domain/consent/region-policies.ts";
import {
  readRegionRules,
  SaveRegionRules,
  saveRegionRules,
} from "../domain/merchant/region-rules.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["settings", "regions", "conflict"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return readRegionRules(ctx, tenant);
}

export const action = defineActions({
  save: {
    input: SaveRegionRules,
    run: ({ ctx, tenant }, input) => saveRegionRules(ctx, tenant, input),
  },
  write: { input: NoInput, run: ({ ctx, tenant }) => writeRegionPolicies(ctx, tenant.shop) },
  disable_banner: {
    input: NoInput,
    run: ({ ctx, tenant }) => disablePlatformBanner(ctx, tenant.shop),
  },
});

export default function RegionSettings() {
  const { platform, ...rules } = useLoaderData<typeof loader>();
  const { t } = useTranslation("settings");
  return (
    <ScreenPage
      title={t("pages.regions.title")}
      back={{ content: t("title"), to: "/app/settings" }}
    >
      <RulesForm {...rules} />
      <DeferredCard answer={platform} waiting={<PlatformCardWaiting />}>
        {(known) => <PlatformCard {...known} />}
      </DeferredCard>
    </ScreenPage>
  );
}
