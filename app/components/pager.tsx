// From page to page of a list that is read by position: on, or back to its beginning. The filters in the address stay.
import { useSearchParams } from "@remix-run/react";
import { Box, Button, InlineStack } from "@shopify/polaris";
import { LIST_WORDS } from "./list-words.ts";
import { useWords } from "./words.tsx";

export function Pager({ next }: { next: string | null }) {
  const words = useWords(LIST_WORDS);
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
      <nav aria-label={words.pages}>
        <InlineStack gap="200" align="center">
          <Button disabled={isFirst} onClick={() => go(null)}>
            {words.newest}
          </Button>
          <Button disabled={next === null} onClick={() => go(next)}>
            {words.next}
          </Button>
        </InlineStack>
      </nav>
    </Box>
  );
}
