// The thresholds of the tags that rules set: the customers who have each tag now, and how many would.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Button,
  Card,
  InlineGrid,
  InlineStack,
  Text,
  TextField,
} from "@shopify/polaris";
import { useRef, useState } from "react";
import type { BulkRunState } from "../../domain/customers/bulk/run-row.ts";
import type { RuleCounts, RuleSettings } from "../../domain/customers/system-tags/rule-settings.ts";
import { formatCount } from "../i18n/format-number.ts";
import { formatPeople } from "./format-people.ts";
import { useLocale } from "../i18n/locale.ts";
import { ConflictBanner } from "../versioned-form/conflict-banner.tsx";
import { EmbeddedSaveBar } from "../settings/embedded-save-bar.tsx";
import { useVersionedSave } from "../versioned-form/use-versioned-save.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";

type Name = keyof RuleSettings["rules"];

/** Each threshold, and the tag whose customers it decides. */
const THRESHOLDS: readonly { name: Name; tag: keyof RuleCounts }[] = [
  { name: "vip_amount", tag: "vip" },
  { name: "vip_orders", tag: "vip" },
  { name: "high_value_amount", tag: "high_value" },
  { name: "new_days", tag: "new_customer" },
  { name: "at_risk_days", tag: "at_risk" },
  { name: "inactive_after_days", tag: "inactive" },
];

type Props = {
  settings: RuleSettings;
  /** Customers per tag now. */
  people: Readonly<Record<string, number>>;
  /** Changed rules are a run over all customers. */
  onStarted(run: BulkRunState): void;
};

type Typed = Partial<Record<Name, string>>;

export function RulesCard({ settings, people, onStarted }: Props) {
  const { t } = useTranslation("tags");
  const locale = useLocale();
  const [typed, setTyped] = useState<Typed>({});
  const valueOf = (name: Name) => typed[name] ?? String(settings.rules[name]);
  const rules = Object.fromEntries(
    THRESHOLDS.map(({ name }) => [name, Number(valueOf(name).replace(",", "."))]),
  );
  const isChanged = THRESHOLDS.some(({ name }) => rules[name] !== settings.rules[name]);
  const counting = useScreenAction<RuleCounts>("count_rules");
  const sent = useRef<Typed>({});
  const saving = useVersionedSave<string, BulkRunState | null>({
    intent: "save_rules",
    version: settings.version,
    isDirty: isChanged,
    onSaved(run) {
      // Keeps input that was entered during the save.
      setTyped((now) =>
        Object.fromEntries(
          Object.entries(now).filter(([name, text]) => text !== sent.current[name as Name]),
        ),
      );
      showToast(t("rules.saved"));
      if (run) onStarted(run);
    },
    onDiscard: () => setTyped({}),
  });
  const save = () => {
    sent.current = typed;
    saving.save({ rules });
  };
  // Results whose values were changed since: their errors are no longer shown.
  const [corrected, setCorrected] = useState<readonly unknown[]>([]);
  const error = [saving, counting].find(
    (one) => one.error && one.error.code !== "conflict" && !corrected.includes(one.result),
  )?.error;
  const problemOf = (name: Name) =>
    Object.keys(error?.fields ?? {}).some((field) => field.split(".").includes(name))
      ? t("rules.invalid")
      : undefined;
  return (
    <Card>
      <EmbeddedSaveBar
        isOpen={isChanged}
        isBusy={saving.isBusy}
        onSave={save}
        onDiscard={saving.discard}
      />
      <BlockStack gap="400">
        <CardHeading title={t("rules.title")} />
        {saving.isConflict && <ConflictBanner onShowSaved={saving.discard} />}
        <Text as="p">{t("rules.text")}</Text>
        <InlineGrid columns={{ xs: 1, sm: 2, md: 3 }} gap="400">
          {THRESHOLDS.map(({ name, tag }) => (
            <TextField
              key={name}
              label={t(`rules.fields.${name}`)}
              type="number"
              min={1}
              value={valueOf(name)}
              onChange={(value) => {
                setTyped((before) => ({ ...before, [name]: value }));
                setCorrected([saving.result, counting.result]);
              }}
              error={problemOf(name)}
              helpText={t("rules.now", { total: formatPeople(locale, people[tag] ?? 0) })}
              autoComplete="off"
            />
          ))}
        </InlineGrid>
        <div aria-live="polite">
          {counting.data && <Preview counts={counting.data} />}
          {error && (
            <Text as="p" tone="critical">
              {error.message}
            </Text>
          )}
        </div>
        <InlineStack gap="200" align="end">
          <Button onClick={() => counting.submit({ rules })} loading={counting.isBusy}>
            {t("rules.count")}
          </Button>
        </InlineStack>
      </BlockStack>
    </Card>
  );
}

function Preview({ counts }: { counts: RuleCounts }) {
  const { t } = useTranslation("tags");
  const locale = useLocale();
  return (
    <BlockStack gap="100">
      <Text as="p" fontWeight="semibold">
        {t("rules.preview")}
      </Text>
      {[...new Set(THRESHOLDS.map(({ tag }) => tag))].map((tag) => (
        <Text as="p" key={tag}>
          {t(`rules.counts.${tag}`, { total: formatCount(locale, counts[tag]) })}
        </Text>
      ))}
    </BlockStack>
  );
}
