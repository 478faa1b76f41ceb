// The frame of the admin pages outside the store admin: the design system without App Bridge, the
// reader's language, and the navigation.
import { useTranslation } from "react-i18next";
import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import {
  AppProvider,
  Banner,
  BlockStack,
  Box,
  InlineStack,
  Link,
  Page,
  Text,
} from "@shopify/polaris";
import english from "@shopify/polaris/locales/en.json" with { type: "json" };
import type { ComponentProps, ReactNode } from "react";
import { PageGutter } from "../ui/layout.tsx";

type Translations = ComponentProps<typeof AppProvider>["i18n"];

export function StandaloneFrame({
  design,
  children,
}: {
  design: Translations | undefined;
  children: ReactNode;
}) {
  return <AppProvider i18n={design ?? english}>{children}</AppProvider>;
}

export function StandalonePage({
  title,
  shop,
  children,
}: {
  title: string;
  shop: string | null;
  children: ReactNode;
}) {
  const { t } = useTranslation("standalone");
  const query = shop ? `?shop=${shop}` : "";
  return (
    <Page title={title} {...(shop && { subtitle: shop })}>
      <BlockStack gap="400">
        <PageGutter>
          <nav aria-label={t("brand")}>
            <InlineStack gap="400">
              <Link url="/setup">{t("nav.setup")}</Link>
              <Link url={`/settings${query}`}>{t("nav.settings")}</Link>
              <Link url={`/onboarding${query}`}>{t("nav.onboarding")}</Link>
            </InlineStack>
          </nav>
        </PageGutter>
        {children}
        <Box minHeight="64px" />
      </BlockStack>
    </Page>
  );
}

/** For errors of a page inside the frame. */
export function StandaloneProblem() {
  const error = useRouteError();
  const { t } = useTranslation("standalone");
  const status = isRouteErrorResponse(error) ? error.status : 500;

  return (
    <Page>
      <Banner
        tone={status === 404 ? "warning" : "critical"}
        title={t(`problems.${status === 401 || status === 404 ? status : "other"}.title`)}
      >
        <Text as="p">
          {t(`problems.${status === 401 || status === 404 ? status : "other"}.text`)}
        </Text>
      </Banner>
    </Page>
  );
}

/** For errors of the frame itself: it includes the design system. */
export function StandaloneFailure() {
  return (
    <AppProvider i18n={english}>
      <StandaloneProblem />
    </AppProvider>
  );
}
