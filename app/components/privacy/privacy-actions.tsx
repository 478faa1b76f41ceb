import { BlockStack, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { ConfirmButton } from "../confirm-button.tsx";
import type { ShownRequest } from "./privacy-board.tsx";
import { PRIVACY_WORDS } from "./privacy-words.ts";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";

/** What there is to do about one request. */
export function PrivacyActions({ request }: { request: ShownRequest }) {
  const words = useWords(PRIVACY_WORDS);
  const { run, sent, done, refused } = useDeed<{ url?: string }>({ onDone: ({ intent }) => (intent === "retry" ? words.retried : intent === "handed_over" ? words.handedDone : null) });
  const general = useRefusal(refused);
  const problem = refused?.intent === "export" && refused.code === "not_found" ? words.exportGone : general;
  const busyWith = sent?.get("intent") ?? null;
  const id = { id: String(request.id) };
  return (
    <BlockStack gap="200" inlineAlign="start">
      <InlineStack gap="300">
        {request.can_retry && (
          <Button variant="plain" loading={busyWith === "retry"} accessibilityLabel={words.retryOf(request.id)} onClick={() => run("retry", id)}>
            {words.retry}
          </Button>
        )}
        {request.has_export && (
          <Button variant="plain" loading={busyWith === "export"} accessibilityLabel={words.exportOf(request.id)} onClick={() => run("export", id)}>
            {words.export}
          </Button>
        )}
        {request.has_export && request.state === "failed" && (
          <ConfirmButton label={words.handed} title={words.handedTitle} confirm={words.handed} variant="plain" isBusy={busyWith === "handed_over"} onConfirm={() => run("handed_over", id)}>
            <Text as="p">{words.handedText}</Text>
          </ConfirmButton>
        )}
      </InlineStack>
      <div aria-live="polite" style={{ whiteSpace: "normal", maxWidth: "18rem" }}>
        {problem && <Text as="p" tone="critical">{problem}</Text>}
        {done?.url && (
          <Text as="p">
            {words.exportReady} <Link url={done.url} target="_blank">{words.openExport}</Link>
          </Text>
        )}
      </div>
    </BlockStack>
  );
}
