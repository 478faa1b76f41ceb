// The frame of a screen: its title and its buttons in the admin's title bar, and the cards.
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "@remix-run/react";
import { TitleBar } from "@shopify/app-bridge-react";
import { BlockStack, Text } from "@shopify/polaris";
import { useEffect, useRef, type ReactNode } from "react";
import { useKeptFocus } from "../hooks/use-kept-focus.ts";
import { ScreenBody } from "../ui/layout.tsx";
import { useShownScreen } from "./lost-connection.ts";

const CONTENT_ID = "content";

type Props = {
  title: string;
  /** Where the arrow beside the title leads; a function when that depends on the way here. */
  back?: { content: string; to: string | (() => void) };
  /** `<button>` and `<section>` elements, as the admin's title bar takes them. */
  actions?: ReactNode;
  nav?: ReactNode;
  children: ReactNode;
};

export function ScreenPage({ title, back, actions, nav, children }: Props) {
  const { t } = useTranslation("frame");
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const heading = useHeadingFocus();
  const content = useRef<HTMLElement>(null);
  useKeptFocus(content);
  useShownScreen();
  return (
    <>
      <TitleBar title={title}>
        {back && (
          <button
            variant="breadcrumb"
            onClick={() => (typeof back.to === "string" ? navigate(back.to) : back.to())}
          >
            {back.content}
          </button>
        )}
        {actions}
      </TitleBar>
      <ScreenBody>
        <a className="skip-link" href={`#${CONTENT_ID}`}>
          {t("skip")}
        </a>
        {/* The title bar is outside of this document: a screen reader needs its heading here. */}
        <div ref={heading} tabIndex={-1} className="screen-heading">
          <Text as="h1" visuallyHidden>
            {title}
          </Text>
        </div>
        {/* Remix looks up a route on the service before the first call of its action, and without a connection
            that replaces the screen. The routes of links are looked up as soon as they are drawn. */}
        <Link to={pathname} hidden />
        {nav}
        <main ref={content} id={CONTENT_ID} tabIndex={-1} className="screen-content">
          <BlockStack gap="400">{children}</BlockStack>
        </main>
      </ScreenBody>
    </>
  );
}

/** The path of the page that had the focus last; null on the first page. */
let focusedPath: string | null = null;

/**
 * After a navigation the focus is on the new page's heading, and not lost with the pressed link. The
 * admin's own menu, outside of this document, keeps its focus.
 */
function useHeadingFocus() {
  const heading = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  useEffect(() => {
    const isNew = focusedPath !== null && focusedPath !== pathname;
    focusedPath = pathname;
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (isNew && isLost && document.hasFocus()) heading.current?.focus({ preventScroll: true });
  }, [pathname]);
  return heading;
}
