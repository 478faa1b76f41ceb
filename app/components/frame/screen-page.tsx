// The frame of a screen: its title and its buttons in the admin's title bar, and the cards.
import { useNavigate } from "@remix-run/react";
import { TitleBar } from "@shopify/app-bridge-react";
import { BlockStack, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import { ScreenBody } from "../ui/layout.tsx";

type Props = {
  title: string;
  /** Where the arrow beside the title leads; a function when that depends on the way here. */
  back?: { content: string; to: string | (() => void) };
  /** `<button>` and `<section>` elements, as the admin's title bar takes them. */
  actions?: ReactNode;
  nav?: ReactNode;
  children: ReactNode;
  isWide?: boolean;
};

export function ScreenPage({ title, back, actions, nav, children, isWide = false }: Props) {
  const navigate = useNavigate();
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
      <ScreenBody isWide={isWide}>
        {/* The title bar is outside of this document: a screen reader needs its heading here. */}
        <Text as="h1" visuallyHidden>
          {title}
        </Text>
        {nav}
        <BlockStack gap="400">{children}</BlockStack>
      </ScreenBody>
    </>
  );
}
