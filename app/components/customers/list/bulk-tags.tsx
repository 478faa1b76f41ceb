// Adds or removes tags of many customers: the selection of tags, the preview, then the run.
import { useTranslation } from "react-i18next";
import { BlockStack, List, Text } from "@shopify/polaris";
import { useState } from "react";
import type { Confirmable, TagPreview } from "../../../domain/customers/bulk/preview-run.ts";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useLocale } from "../../i18n/locale.ts";
import type { Selection } from "./bulk-actions.tsx";
import { TagPicker } from "../tag-picker.tsx";

type Props = {
  action: "add" | "remove";
  selection: Selection;
  tags: readonly { slug: string; name: string }[];
  onStarted: (run: BulkRunState) => void;
  onClose: () => void;
};

export default function BulkTags({ action, selection, tags, onStarted, onClose }: Props) {
  const { t } = useTranslation("customers");
  const count = useCount();
  const [chosen, setChosen] = useState<string[]>([]);
  const [previewed, setPreviewed] = useState<Confirmable<TagPreview> | null>(null);
  const preview = previewed?.preview ?? null;
  const previewTags = useScreenAction<Confirmable<TagPreview>>("preview_tags", {
    onSuccess: setPreviewed,
  });
  const startTags = useScreenAction<{ run: BulkRunState }>("start_tags", {
    onSuccess: ({ run }) => onStarted(run),
  });
  const isBusy = previewTags.isBusy || startTags.isBusy;
  const errorMessage = (preview ? startTags : previewTags).error?.message ?? null;
  const fields = { selection, [action]: chosen };
  const confirm = (total: number) =>
    action === "add"
      ? t("bulk.confirmAdd", { total: count(total) })
      : t("bulk.confirmRemove", { total: count(total) });

  return (
    <Dialog
      onClose={onClose}
      title={action === "add" ? t("bulk.addTitle") : t("bulk.removeTitle")}
      primaryAction={
        preview
          ? {
              content: confirm(preview.changing),
              onAction: () => startTags.submit({ ...fields, request_id: previewed?.request_id }),
              loading: isBusy,
              disabled: preview.changing === 0,
              destructive: action === "remove",
            }
          : {
              content: t("bulk.preview"),
              onAction: () => previewTags.submit(fields),
              loading: isBusy,
              disabled: chosen.length === 0,
            }
      }
      secondaryAction={
        preview
          ? { content: t("bulk.back"), onAction: () => setPreviewed(null) }
          : { content: t("bulk.close"), onAction: onClose }
      }
    >
      {preview ? (
        <PreviewedTags preview={preview} tags={tags} errorMessage={errorMessage} />
      ) : (
        <BlockStack gap="300">
          {"ids" in selection && (
            <Text as="p">{t("bulk.people", { total: count(selection.ids.length) })}</Text>
          )}
          <TagPicker
            known={tags}
            chosen={chosen}
            onChange={setChosen}
            canMake={action === "add"}
            error={errorMessage}
          />
        </BlockStack>
      )}
    </Dialog>
  );
}

type PreviewedProps = {
  preview: TagPreview;
  tags: Props["tags"];
  errorMessage: string | null;
};

function PreviewedTags({ preview, tags, errorMessage }: PreviewedProps) {
  const { t } = useTranslation("customers");
  const count = useCount();
  const nameOf = ({ slug, name }: { slug: string; name: string }) =>
    tags.find((tag) => tag.slug === slug)?.name ?? name;
  const { changing, total } = preview;
  return (
    <BlockStack gap="300">
      <Text as="p" fontWeight="semibold">
        {changing === 0
          ? t("bulk.nothing")
          : t("bulk.changing", { changing: count(changing), total: count(total) })}
      </Text>
      <List>
        {preview.tags.map((tag) => (
          <List.Item key={tag.slug}>
            {tag.action === "add"
              ? t("bulk.gets", { tag: nameOf(tag), total: count(tag.people) })
              : t("bulk.loses", { tag: nameOf(tag), total: count(tag.people) })}
          </List.Item>
        ))}
      </List>
      {errorMessage && <ActionAlert>{errorMessage}</ActionAlert>}
    </BlockStack>
  );
}

function useCount(): (value: number) => string {
  const locale = useLocale();
  return (value) => formatCount(locale, value);
}
