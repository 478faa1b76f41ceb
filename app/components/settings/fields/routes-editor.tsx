// The store's own routes: which events go to which systems.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineGrid, Select, Text, TextField } from "@shopify/polaris";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { nextKey, useFocusAfterRemoval } from "../../ui/row-keys.ts";
import type { RouteDraft } from "./field-drafts.ts";
import { FieldMessages, type EditorProps } from "./field-messages.tsx";

export function RoutesEditor({ draft, label, help, problem, onChange }: EditorProps<RouteDraft[]>) {
  const { t } = useTranslation("settings");
  const labelled = useLabelled();
  const { adding, focusAdding } = useFocusAfterRemoval();
  const change = (key: number, part: Partial<RouteDraft>) =>
    onChange(draft.map((route) => (route.key === key ? { ...route, ...part } : route)));
  const remove = (key: number) => {
    onChange(draft.filter((route) => route.key !== key));
    focusAdding();
  };
  return (
    <BlockStack gap="300">
      <Text as="p" variant="bodyMd">
        {label}
      </Text>
      {draft.length === 0 && (
        <Text as="p" tone="subdued">
          {t("routes.none")}
        </Text>
      )}
      {draft.map((route) => (
        <InlineGrid
          key={route.key}
          columns={{ xs: 1, sm: "3fr 4fr 2fr auto" }}
          gap="200"
          alignItems="end"
        >
          <TextField
            label={t("routes.type")}
            value={route.event_type}
            onChange={(text) => change(route.key, { event_type: text })}
            autoComplete="off"
            placeholder="order.*"
            error={problem !== undefined}
          />
          <TextField
            label={t("routes.channels")}
            value={route.channels}
            onChange={(text) => change(route.key, { channels: text })}
            autoComplete="off"
            placeholder="erpsys, archive"
            error={problem !== undefined}
          />
          <Select
            label={t("routes.priority")}
            options={[
              { label: t("routes.usual"), value: "" },
              ...["1", "2", "3", "4", "5"].map((value) => ({ label: value, value })),
            ]}
            value={route.priority}
            onChange={(text) => change(route.key, { priority: text })}
          />
          <Button
            accessibilityLabel={labelled(t("routes.remove"), route.event_type)}
            onClick={() => remove(route.key)}
          >
            ×
          </Button>
        </InlineGrid>
      ))}
      <FieldMessages help={help} problem={problem} />
      <div ref={adding}>
        <Button
          onClick={() =>
            onChange([
              ...draft,
              { key: nextKey(draft), event_type: "", channels: "", priority: "" },
            ])
          }
        >
          {t("routes.add")}
        </Button>
      </div>
    </BlockStack>
  );
}
