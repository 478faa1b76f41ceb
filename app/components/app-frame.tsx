// What stands around every page inside the store admin: the menu, the design system and the reader's language.
import { Link } from "@remix-run/react";
import { NavMenu } from "@shopify/app-bridge-react";
import { AppProvider } from "@shopify/shopify-app-remix/react";
import type { ComponentProps, ReactNode } from "react";
import { FRAME_WORDS, SCREENS } from "./frame-words.ts";
import { SpokenIn, useWords, type Locale } from "./words.tsx";

type DesignTranslations = ComponentProps<typeof AppProvider>["i18n"];

type Props = {
  apiKey: string;
  appBridgeUrl: string | undefined;
  locale: Locale;
  /** Of the design system's own parts; absent for English, which it brings along. */
  design: DesignTranslations | undefined;
  children: ReactNode;
};

export function AppFrame({ apiKey, appBridgeUrl, locale, design, children }: Props) {
  return (
    <AppProvider
      isEmbeddedApp
      apiKey={apiKey}
      {...(design && { i18n: design })}
      {...(appBridgeUrl && { __APP_BRIDGE_URL: appBridgeUrl })}
    >
      <SpokenIn locale={locale}>
        <Menu />
        {children}
      </SpokenIn>
    </AppProvider>
  );
}

function Menu() {
  const words = useWords(FRAME_WORDS);
  return (
    <NavMenu>
      {SCREENS.map(({ name, path }) => (
        <Link key={name} to={path} {...(name === "home" && { rel: "home" })}>
          {words.menu[name]}
        </Link>
      ))}
    </NavMenu>
  );
}
