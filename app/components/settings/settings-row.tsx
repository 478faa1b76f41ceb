// A row of a list that leads to a page of its own.
import { Link } from "@remix-run/react";
import { Box, Icon, Text } from "@shopify/polaris";
import { ChevronRightIcon } from "@shopify/polaris-icons";
import type { ComponentProps, ReactNode } from "react";

type Props = {
  to: string;
  title: string;
  text: string;
  isFirst: boolean;
  icon?: ComponentProps<typeof Icon>["source"];
  /** The state of what the row leads to. */
  children?: ReactNode;
};

export function SettingsRow({ to, title, text, isFirst, icon, children }: Props) {
  return (
    <Box as="li" borderColor="border" borderBlockStartWidth={isFirst ? "0" : "025"}>
      <Link
        to={to}
        style={{
          display: "flex",
          alignItems: "center",
          gap: "1rem",
          padding: "0.875rem 1rem",
          color: "inherit",
          textDecoration: "none",
        }}
      >
        {icon && (
          <span>
            <Icon source={icon} tone="base" />
          </span>
        )}
        <span
          style={{ display: "flex", flex: 1, flexWrap: "wrap", gap: "0.25rem 1rem", minWidth: 0 }}
        >
          <span style={{ flex: "1 1 16rem", minWidth: 0 }}>
            <span style={{ display: "block" }}>
              <Text as="span" variant="headingSm">
                {title}
              </Text>
            </span>
            <Text as="span" tone="subdued">
              {text}
            </Text>
          </span>
          <span style={{ alignSelf: "center" }}>{children}</span>
        </span>
        <span>
          <Icon source={ChevronRightIcon} tone="subdued" />
        </span>
      </Link>
    </Box>
  );
}
