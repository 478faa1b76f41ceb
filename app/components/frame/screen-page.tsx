// The frame of a screen: the title in the admin's bar, the heading, and the cards.
import { TitleBar } from "@shopify/app-bridge-react";
import { BlockStack, Page } from "@shopify/polaris";
import type { ReactNode } from "react";

type Props = {
  title: string;
  back?: { content: string; url: string };
  actions?: ReactNode;
  nav?: ReactNode;
  children: ReactNode;
  isWide?: boolean;
};

export function ScreenPage({ title, back, actions, nav, children, isWide = false }: Props) {
  return (
    <>
      <TitleBar title={title} />
      <Page
        title={title}
        fullWidth={isWide}
        {...(back && { backAction: back })}
        {...(actions !== undefined && { primaryAction: actions })}
      >
        {nav}
        <BlockStack gap="400">{children}</BlockStack>
      </Page>
    </>
  );
}
