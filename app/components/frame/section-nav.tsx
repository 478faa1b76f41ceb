// The pages of one screen as tabs.
import { NavLink } from "@remix-run/react";
import { Box, InlineStack } from "@shopify/polaris";

export function SectionNav({
  label,
  pages,
}: {
  label: string;
  pages: readonly { path: string; text: string }[];
}) {
  return (
    <Box paddingBlockEnd="400">
      <nav aria-label={label}>
        <InlineStack gap="200">
          {pages.map(({ path, text }, at) => (
            <NavLink
              key={path}
              to={path}
              end={at === 0}
              style={({ isActive }) => ({
                padding: "6px 12px",
                borderRadius: 8,
                textDecoration: "none",
                color: "var(--p-color-text)",
                fontWeight: isActive ? 600 : 450,
                background: isActive ? "var(--p-color-bg-fill-tertiary)" : "transparent",
              })}
            >
              {text}
            </NavLink>
          ))}
        </InlineStack>
      </nav>
    </Box>
  );
}
