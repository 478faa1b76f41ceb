import { useSearchParams } from "@remix-run/react";
import { Button } from "@shopify/polaris";
import { CONSENT_WORDS } from "./consent-words.ts";
import { useDownload } from "../use-download.ts";
import { useWords } from "../words.tsx";

/** What the list shows, all pages of it. */
export function ConsentExportButton() {
  const words = useWords(CONSENT_WORDS);
  const download = useDownload();
  const [address] = useSearchParams();
  const filters = new URLSearchParams(
    [...address].filter(([name]) =>
      ["type", "action", "method", "from", "until", "email"].includes(name),
    ),
  );
  return (
    <Button
      accessibilityLabel={`${words.export}: ${words.exportHint}`}
      onClick={() => void download("/app/consent/export", filters)}
    >
      {words.export}
    </Button>
  );
}
