// The frame of every page inside the store admin: the menu, the design system and the reader's language.
import { useTranslation } from "react-i18next";
import { Link } from "@remix-run/react";
import { NavMenu } from "@shopify/app-bridge-react";
import { AppProvider } from "@shopify/shopify-app-remix/react";
import type { ComponentProps, ReactNode } from "react";
import { TimeZoneProvider } from "../i18n/time-zone.tsx";
import { SCREENS } from "./screens.ts";

type DesignTranslations = ComponentProps<typeof AppProvider>["i18n"];

type Props = {
  apiKey: string;
  /** The design system's own translations; undefined for English, its default. */
  design: DesignTranslations | undefined;
  /** The store's own; null while it is not known. */
  timeZone: string | null;
  children: ReactNode;
};

export function AppFrame({ apiKey, design, timeZone, children }: Props) {
  return (
    // It would put App Bridge into the body; the head has it (`app-bridge.tsx`).
    <AppProvider isEmbeddedApp={false} apiKey={apiKey} {...(design && { i18n: design })}>
      <Menu />
      <TimeZoneProvider zone={timeZone}>{children}</TimeZoneProvider>
    </AppProvider>
  );
}

function Menu() {
  const { t } = useTranslation("frame");
  return (
    <NavMenu>
      {SCREENS.map(({ name, path }) => (
        <Link key={name} to={path} {...(name === "home" && { rel: "home" })}>
          {t(`menu.${name}`)}
        </Link>
      ))}
    </NavMenu>
  );
}
