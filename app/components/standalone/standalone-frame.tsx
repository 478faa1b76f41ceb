// What stands around the admin pages outside the store admin: the design system without App Bridge, the reader's language,
// and the way from one page to the next.
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
import { STANDALONE_WORDS } from "./standalone-words.ts";
import { BesideCards } from "../room.tsx";
import { SpokenIn, useWords, type Locale } from "../words.tsx";

type Translations = ComponentProps<typeof AppProvider>["i18n"];

export function StandaloneFrame({
  locale,
  design,
  children,
}: {
  locale: Locale;
  design: Translations | undefined;
  children: ReactNode;
}) {
  return (
    <AppProvider i18n={design ?? english}>
      <SpokenIn locale={locale}>{children}</SpokenIn>
    </AppProvider>
  );
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
  const { brand, nav } = useWords(STANDALONE_WORDS);
  const query = shop ? `?shop=${shop}` : "";
  return (
    <Page title={title} {...(shop && { subtitle: shop })}>
      <BlockStack gap="400">
        <BesideCards>
          <nav aria-label={brand}>
            <InlineStack gap="400">
              <Link url="/setup">{nav.setup}</Link>
              <Link url={`/settings${query}`}>{nav.settings}</Link>
              <Link url={`/onboarding${query}`}>{nav.onboarding}</Link>
            </InlineStack>
          </nav>
        </BesideCards>
        {children}
        <Box minHeight="64px" />
      </BlockStack>
    </Page>
  );
}

/** Of a page inside the frame. */
export function StandaloneProblem() {
  const error = useRouteError();
  const { problems } = useWords(STANDALONE_WORDS);
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const { title, text } = problems[status === 401 || status === 404 ? status : "other"];
  return (
    <Page>
      <Banner tone={status === 404 ? "warning" : "critical"} title={title}>
        <Text as="p">{text}</Text>
      </Banner>
    </Page>
  );
}

/** Of the frame itself: it has to bring the design system along. */
export function StandaloneFailure() {
  return (
    <AppProvider i18n={english}>
      <StandaloneProblem />
    </AppProvider>
  );
}
