import { BlockStack, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { ConfirmButton } from "../confirm-button.tsx";
import type { ShownRequest } from "./privacy-board.tsx";
import { PRIVACY_WORDS } from "./privacy-words.ts";
import { useWords } from "../words.tsx";

export type RequestDeed = {
  run(intent: string, id: number): void;
  /** What is under way for this request. */
  busyWith: string | null;
  problem: string | null;
  url: string | null;
};

/** What there is to do about one request. */
export function PrivacyActions({
  request,
  deed: { run, busyWith, problem, url },
}: {
  request: ShownRequest;
  deed: RequestDeed;
}) {
  const words = useWords(PRIVACY_WORDS);
  return (
    <BlockStack gap="200" inlineAlign="start">
      <InlineStack gap="300">
        {request.can_retry && (
          <Button
            variant="plain"
            loading={busyWith === "retry"}
            accessibilityLabel={words.retryOf(request.id)}
            onClick={() => run("retry", request.id)}
          >
            {words.retry}
          </Button>
        )}
        {request.has_export && (
          <Button
            variant="plain"
            loading={busyWith === "export"}
            accessibilityLabel={words.exportOf(request.id)}
            onClick={() => run("export", request.id)}
          >
            {words.export}
          </Button>
        )}
        {request.has_export && request.state === "failed" && (
          <ConfirmButton
            label={words.handed}
            title={words.handedTitle}
            confirm={words.handed}
            variant="plain"
            isBusy={busyWith === "handed_over"}
            onConfirm={() => run("handed_over", request.id)}
          >
            <Text as="p">{words.handedText}</Text>
          </ConfirmButton>
        )}
      </InlineStack>
      <div aria-live="polite" style={{ whiteSpace: "normal", maxWidth: "18rem" }}>
        {problem && (
          <Text as="p" tone="critical">
            {problem}
          </Text>
        )}
        {url && (
          <Text as="p">
            {words.exportReady}{" "}
            <Link url={url} target="_blank">
              {words.openExport}
            </Link>
          </Text>
        )}
      </div>
    </BlockStack>
  );
}
