// Adds tags to many customers or takes them away: which tags, then what would change, then the run.
import { BlockStack, List, Text } from "@shopify/polaris";
import { useState } from "react";
import { formatCount } from "../figures.ts";
import { Dialog } from "../dialog.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";
import type { ListFilter } from "./list-address.ts";
import { TagPicker } from "./tag-picker.tsx";
import type { TagRun } from "./tag-run-banner.tsx";

type Selection = { ids: number[] } | { filter: ListFilter };
type Preview = {
  total: number;
  changing: number;
  tags: { slug: string; action: "add" | "remove"; people: number }[];
};

type Props = {
  action: "add" | "remove";
  selection: Selection;
  tags: readonly { slug: string; name: string }[];
  onStarted: (run: TagRun) => void;
  onClose: () => void;
};

export default function BulkTags({ action, selection, tags, onStarted, onClose }: Props) {
  const words = useWords(BULK_WORDS);
  const locale = useLocale();
  const [chosen, setChosen] = useState<string[]>([]);
  const [preview, setPreview] = useState<Preview | null>(null);
  const count = (value: number) => formatCount(locale, value);
  const { run, isBusy, refused } = useDeed<{ preview?: Preview; run?: TagRun }>({
    onDone({ preview: changes, run: started }) {
      if (changes) setPreview(changes);
      if (started) onStarted(started);
      return null;
    },
  });
  const error = useRefusal(refused);
  const send = (intent: "preview_tags" | "start_tags") =>
    run(intent, { selection, [action]: chosen });
  const nameOf = (slug: string) => tags.find((tag) => tag.slug === slug)?.name ?? slug;
  const confirm = (total: number) =>
    action === "add" ? words.confirmAdd(count(total)) : words.confirmRemove(count(total));

  return (
    <Dialog
      onClose={onClose}
      title={action === "add" ? words.addTitle : words.removeTitle}
      primaryAction={
        preview
          ? {
              content: confirm(preview.changing),
              onAction: () => send("start_tags"),
              loading: isBusy,
              disabled: preview.changing === 0,
              destructive: action === "remove",
            }
          : {
              content: words.preview,
              onAction: () => send("preview_tags"),
              loading: isBusy,
              disabled: chosen.length === 0,
            }
      }
      secondaryActions={[
        preview
          ? { content: words.back, onAction: () => setPreview(null) }
          : { content: words.close, onAction: onClose },
      ]}
    >
      {preview ? (
        <BlockStack gap="300">
          <Text as="p" fontWeight="semibold">
            {preview.changing === 0
              ? words.nothing
              : words.changing(count(preview.changing), count(preview.total))}
          </Text>
          <List>
            {preview.tags.map((tag) => (
              <List.Item key={tag.slug}>
                {tag.action === "add"
                  ? words.gets(nameOf(tag.slug), count(tag.people))
                  : words.loses(nameOf(tag.slug), count(tag.people))}
              </List.Item>
            ))}
          </List>
          {error && (
            <Text as="p" tone="critical">
              {error}
            </Text>
          )}
        </BlockStack>
      ) : (
        <BlockStack gap="300">
          {"ids" in selection && <Text as="p">{words.people(count(selection.ids.length))}</Text>}
          <TagPicker
            known={tags}
            chosen={chosen}
            onChange={setChosen}
            canMake={action === "add"}
            error={error}
          />
        </BlockStack>
      )}
    </Dialog>
  );
}
