// The editor of the store's consent banner: draft, preview, publication and history.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, type ShouldRevalidateFunction } from "@remix-run/react";
import { BannerEditor } from "../components/consent/banner/banner-editor.tsx";
import { ConsentSections } from "../components/consent/consent-sections.tsx";
import { skipRevalidationOnFailure } from "../components/frame/keep-form.ts";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { withTranslations } from "../components/i18n/load-translations.ts";
import {
  BannerVersionNumber,
  discardBannerDraft,
  DraftChange,
  DraftRevision,
  publishBanner,
  readBannerWork,
  restoreBanner,
  saveBannerDraft,
} from "../domain/tenants/banner/banner-drafts.ts";
import { readEditorFacts } from "../domain/tenants/banner/banner-editor.ts";
import { readBannerPlace } from "../domain/merchant/places.ts";
import { findFrontPageFrame } from "../domain/tenants/storefront/front-page-frame.ts";
import { canUploadLogo } from "../domain/tenants/storefront/logo-upload.ts";
import { renderStorePage } from "../embeds/banner-preview.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";

export { actionWithOfflineResult as clientAction } from "../components/frame/keep-form.ts";
export { ScreenProblem as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["consent", "banner", "settings"] };
export const clientLoader = withTranslations(handle);

/** A preview changes nothing. */
export const shouldRevalidate: ShouldRevalidateFunction = (change) =>
  change.formAction?.endsWith("/preview") ? false : skipRevalidationOnFailure(change);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await authenticate.admin(args);
  return {
    shop: tenant.shop,
    work: await readBannerWork(ctx, tenant),
    facts: readEditorFacts(tenant),
    place: await readBannerPlace(ctx, tenant),
    canUploadLogo: canUploadLogo(tenant),
    storePage: findFrontPageFrame(ctx, tenant).then((frame) =>
      frame.state === "frameable"
        ? { state: frame.state, html: renderStorePage(frame.url) }
        : { state: frame.state, html: null },
    ),
  };
}

export const action = defineActions({
  save: {
    input: DraftChange,
    run: ({ ctx, tenant, staffId }, input) => saveBannerDraft(ctx, tenant, input, staffId),
  },
  publish: {
    input: DraftRevision,
    run: ({ ctx, tenant, staffId }, input) => publishBanner(ctx, tenant, input, staffId),
  },
  discard: {
    input: DraftRevision,
    run: ({ ctx, tenant, staffId }, input) => discardBannerDraft(ctx, tenant, input, staffId),
  },
  restore: {
    input: BannerVersionNumber,
    run: ({ ctx, tenant, staffId }, input) => restoreBanner(ctx, tenant, input, staffId),
  },
});

export default function Banner() {
  const { t } = useTranslation("banner");
  return (
    <ScreenPage title={t("title")} nav={<ConsentSections />}>
      <BannerEditor {...useLoaderData<typeof loader>()} />
    </ScreenPage>
  );
}
