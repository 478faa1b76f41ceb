// Pagination of a list with cursors: next page, or first page. The filters in the URL stay.
import { useTranslation } from "react-i18next";
import { useSearchParams } from "@remix-run/react";
import { Box, Button, InlineStack } from "@shopify/polaris";

export function Pager({ next }: { next: string | null }) {
  const { t } = useTranslation("frame");
  const [address, setAddress] = useSearchParams();
  const isFirst = !address.has("cursor");
  if (isFirst && next === null) return null;
  const go = (cursor: string | null) => {
    const asked = new URLSearchParams(address);
    if (cursor === null) asked.delete("cursor");
    else asked.set("cursor", cursor);
    setAddress(asked);
  };
  return (
    <Box padding="300">
      <nav aria-label={t("list.pages")}>
        <InlineStack gap="200" align="center">
          <Button disabled={isFirst} onClick={() => go(null)}>
            {t("list.newest")}
          </Button>
          <Button disabled={next === null} onClick={() => go(next)}>
            {t("list.next")}
          </Button>
        </InlineStack>
      </nav>
    </Box>
  );
}
