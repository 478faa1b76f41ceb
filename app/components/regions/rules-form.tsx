// The table of what applies where, as a form: a rule per group of regions, exceptions, and the rest.
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Card, InlineStack, Select, Text } from "@shopify/polaris";
import type {
  ConsentRegions,
  RegionMode,
  RegionPreset,
} from "../../domain/tenants/consent-regions.ts";
import type { RegionRulesView } from "../../domain/merchant/region-rules.ts";
import { ConflictBanner } from "../versioned-form/conflict-banner.tsx";
import { EmbeddedSaveBar } from "../settings/embedded-save-bar.tsx";
import { useVersionedSave } from "../versioned-form/use-versioned-save.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { showToast } from "../ui/toast.ts";
import { Exceptions } from "./exceptions.tsx";
import { useModeOptions, useRegionNames } from "./region-texts.ts";

type Props = Omit<RegionRulesView, "platform">;

/** As text with the fields in order: the saved rules come back in another order than they were sent. */
const inOrder = (rules: ConsentRegions | null): string =>
  JSON.stringify(rules, (_, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

export function RulesForm({ rules: saved, presets, groups, version }: Props) {
  const { t } = useTranslation("regions");
  const [rules, setRules] = useState<ConsentRegions | null>(saved);
  const isDirty = inOrder(rules) !== inOrder(saved);
  const { save, isBusy, error, isConflict, discard } = useVersionedSave({
    intent: "save",
    version,
    isDirty,
    onSaved: () => showToast(t("saved")),
    onDiscard: () => setRules(saved),
  });
  const start = (preset: RegionPreset) =>
    setRules({ ...presets[preset], exceptions: rules?.exceptions ?? [] });

  return (
    <>
      <EmbeddedSaveBar
        isOpen={isDirty}
        isBusy={isBusy}
        onSave={() => save({ rules })}
        onDiscard={discard}
      />
      {isConflict && <ConflictBanner onShowSaved={discard} />}
      {error && !isConflict && (
        <Banner tone="critical">
          <p>{error.message}</p>
        </Banner>
      )}
      <Card>
        <BlockStack gap="400">
          <CardHeading title={t("rules.title")} />
          <Text as="p">{t("rules.text")}</Text>
          <Presets presets={presets} rules={rules} onChoose={start} onNone={() => setRules(null)} />
          {rules && (
            <>
              <RulesTable rules={rules} groups={groups} onChange={setRules} />
              <ModeMeanings />
            </>
          )}
        </BlockStack>
      </Card>
      {rules && (
        <Exceptions
          exceptions={rules.exceptions}
          onChange={(exceptions) => setRules({ ...rules, exceptions })}
        />
      )}
    </>
  );
}

/** What a shopper meets under each rule. */
function ModeMeanings() {
  const { t } = useTranslation("regions");
  return (
    <BlockStack gap="100">
      {useModeOptions().map(({ value, label }) => (
        <Text key={value} as="p" tone="subdued">
          {label}: {t(`meanings.${value}`)}
        </Text>
      ))}
    </BlockStack>
  );
}

type PresetProps = {
  presets: Props["presets"];
  rules: ConsentRegions | null;
  onChoose(preset: RegionPreset): void;
  onNone(): void;
};

function Presets({ presets, rules, onChoose, onNone }: PresetProps) {
  const { t } = useTranslation("regions");
  const names = Object.keys(presets) as RegionPreset[];
  const { exceptions: _, ...groups } = rules ?? { exceptions: [] };
  const current = rules
    ? (names.find((name) =>
        Object.entries(presets[name]).every(
          ([group, mode]) => (groups as Record<string, RegionMode>)[group] === mode,
        ),
      ) ?? "own")
    : "platform";
  return (
    <Select
      label={t("presets.label")}
      helpText={t(`presets.help.${current}`)}
      value={current}
      options={[
        { value: "platform", label: t("presets.platform") },
        ...names.map((name) => ({ value: name, label: t(`presets.${name}`) })),
        ...(current === "own" ? [{ value: "own", label: t("presets.own") }] : []),
      ]}
      onChange={(chosen) => {
        if (chosen === "platform") onNone();
        else if (chosen !== "own") onChoose(chosen as RegionPreset);
      }}
    />
  );
}

type TableProps = {
  rules: ConsentRegions;
  groups: Props["groups"];
  onChange(rules: ConsentRegions): void;
};

function RulesTable({ rules, groups, onChange }: TableProps) {
  const { t } = useTranslation("regions");
  const options = useModeOptions();
  const namesOf = useRegionNames();
  const rows = [
    ...groups.map(({ name, regions }) => ({
      name,
      detail: regions.length > 1 ? namesOf(regions) : "",
    })),
    { name: "rest" as const, detail: t("restText") },
  ];
  return (
    <ul style={{ listStyle: "none", margin: 0, padding: 0, display: "grid", gap: "1rem" }}>
      {rows.map(({ name, detail }) => (
        <li key={name}>
          <InlineStack gap="300" align="space-between" blockAlign="start">
            <div style={{ flex: "1 1 16rem" }}>
              <Text as="p" fontWeight="semibold">
                {t(`groups.${name}`)}
              </Text>
              {detail && (
                <Text as="p" tone="subdued">
                  {detail}
                </Text>
              )}
            </div>
            <div style={{ flex: "0 1 19rem" }}>
              <Select
                label={t("modeOf", { region: t(`groups.${name}`) })}
                labelHidden
                options={options}
                value={rules[name]}
                onChange={(mode) => onChange({ ...rules, [name]: mode as RegionMode })}
              />
            </div>
          </InlineStack>
        </li>
      ))}
    </ul>
  );
}
