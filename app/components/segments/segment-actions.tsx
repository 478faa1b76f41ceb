// The buttons of a segment: tagging its customers first, the others in a menu.
import { useTranslation } from "react-i18next";
import { useNavigate } from "@remix-run/react";
import { ActionList, Button, InlineStack, Popover } from "@shopify/polaris";
import { useState } from "react";
import type { ListedSegment } from "../../domain/customers/segments/list-segments.ts";
import type { OpenAction } from "../customers/list/bulk-actions.tsx";
import { useExport } from "../customers/list/use-export.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

export type SegmentQuestion = {
  action: Extract<OpenAction, "add" | "remove" | "profile"> | "rename" | "delete";
  segment: ListedSegment;
};

type Props = {
  segment: ListedSegment;
  /** The customer list filtered by the segment. */
  url: string;
  hasProfiles: boolean;
  onAsk: (question: SegmentQuestion) => void;
};

export function SegmentActions({ segment, url, hasProfiles, onAsk }: Props) {
  const { t } = useTranslation("segments");
  const labelled = useLabelled();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const exporting = useExport();
  const ask = (action: SegmentQuestion["action"]) => () => {
    setIsOpen(false);
    onAsk({ action, segment });
  };
  return (
    <InlineStack gap="200" align="end" wrap={false}>
      <Button
        size="slim"
        onClick={ask("add")}
        accessibilityLabel={labelled(t("actions.tag"), segment.name)}
      >
        {t("actions.tag")}
      </Button>
      <Popover
        active={isOpen}
        onClose={() => setIsOpen(false)}
        preferredAlignment="right"
        activator={
          <Button
            size="slim"
            disclosure
            loading={exporting.isBusy}
            onClick={() => setIsOpen(!isOpen)}
            accessibilityLabel={labelled(t("actions.more"), segment.name)}
          >
            {t("actions.more")}
          </Button>
        }
      >
        <ActionList
          actionRole="menuitem"
          items={[
            { content: t("actions.untag"), onAction: ask("remove") },
            {
              content: t("actions.export"),
              onAction: () => {
                setIsOpen(false);
                void exporting.start(new URLSearchParams({ segment: segment.id }), segment.name);
              },
            },
            ...(hasProfiles ? [{ content: t("actions.profile"), onAction: ask("profile") }] : []),
            { content: t("actions.change"), onAction: () => navigate(url) },
            { content: t("actions.rename"), onAction: ask("rename") },
            { content: t("actions.delete"), onAction: ask("delete"), destructive: true },
          ]}
        />
      </Popover>
    </InlineStack>
  );
}
