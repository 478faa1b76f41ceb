// The operator's page: the service's health, its stores, their shared settings, and the process
// settings.
import { useTranslation } from "react-i18next";
import { Badge, Banner, BlockStack, Card, Divider, InlineStack, Text } from "@shopify/polaris";
import type { RunProblem, SettingState } from "../../domain/merchant/setup-state.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { FactRows } from "../ui/fact-rows.tsx";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { FieldEditor } from "../settings/fields/field-editor.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { FormResult } from "../settings/form-result.tsx";
import { useSettingsForm } from "../settings/use-settings-form.ts";
import { StandaloneSaveBar } from "./standalone-save-bar.tsx";
import type { StoreRow } from "../../domain/merchant/setup-state.ts";
import type { CellStates } from "../../domain/merchant/cell-states.ts";
import { CellsCard } from "./cells-card.tsx";
import { StoreField, StoreList } from "./store-list.tsx";
import { useLabelled } from "../i18n/use-labelled.ts";

type Health = {
  isDatabaseUp: boolean;
  version: string;
  roles: string[];
  isSandbox: boolean;
  baseUrl: string;
  lastRun: {
    state: "running" | "finished" | "interrupted";
    at: string;
    errors: number;
    problems: RunProblem[];
    isArchiveFailing: boolean;
  } | null;
};
type Props = {
  health: Health;
  cellStates: CellStates;
  stores: { rows: StoreRow[]; next: string | null };
  settings: SettingState[];
  platform: FormField[];
  isPlatform: boolean;
};

export function SetupScreen({ health, cellStates, stores, settings, platform, isPlatform }: Props) {
  const { t } = useTranslation("standalone");
  return (
    <HydrationGate>
      <BlockStack gap="400">
        <HealthCard health={health} />
        <Card>
          <BlockStack gap="400">
            <CardHeading title={t("setup.stores")} />
            <StoreList stores={stores} path="/setup" />
            <Text as="h3" variant="headingSm">
              {t("setup.connectNew")}
            </Text>
            <StoreField path="/onboarding" label={t("setup.connect")} />
          </BlockStack>
        </Card>
        <CellsCard {...cellStates} />
        <PlatformCard platform={platform} isPlatform={isPlatform} />
        <Card>
          <BlockStack gap="400">
            <CardHeading title={t("setup.settings")} />
            <Text as="p" tone="subdued">
              {t("setup.settingsText")}
            </Text>
            {settings.map((setting) => (
              <SettingRow key={setting.name} {...setting} />
            ))}
          </BlockStack>
        </Card>
      </BlockStack>
    </HydrationGate>
  );
}

function HealthCard({ health }: { health: Health }) {
  const { t } = useTranslation("standalone");
  const labelled = useLabelled();
  const { lastRun } = health;
  const rows = [
    { name: t("setup.version"), value: health.version },
    { name: t("setup.address"), value: health.baseUrl },
    { name: t("setup.roles"), value: health.roles.join(", ") },
    { name: t("setup.sandbox"), value: health.isSandbox ? t("setup.yes") : t("setup.no") },
    {
      name: t("setup.lastRun"),
      value: lastRun ? (
        <>
          {t(`setup.runStates.${lastRun.state}`)} <DateTime at={lastRun.at} />,{" "}
          {t("setup.errors", { count: lastRun.errors })}
        </>
      ) : (
        t("setup.never")
      ),
    },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading
          title={t("setup.health")}
          status={
            health.isDatabaseUp
              ? { tone: "success", text: labelled(t("setup.database"), t("setup.up")) }
              : { tone: "critical", text: labelled(t("setup.database"), t("setup.down")) }
          }
        />
        <FactRows rows={rows} />
        {lastRun?.isArchiveFailing && (
          <Banner tone="critical" title={t("setup.archive.title")}>
            <Text as="p">{t("setup.archive.text")}</Text>
          </Banner>
        )}
        {lastRun && lastRun.problems.length > 0 && <Problems problems={lastRun.problems} />}
      </BlockStack>
    </Card>
  );
}

/** The steps' names and messages are those of the log. */
function Problems({ problems }: { problems: RunProblem[] }) {
  const { t } = useTranslation("standalone");
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t("setup.failedSteps")}
      </Text>
      <FactRows
        rows={problems.map(({ step, stores, message }) => ({
          name: step,
          value: [t("setup.failedStores", { count: stores }), message]
            .filter((part) => part !== null)
            .join(" · "),
        }))}
      />
    </BlockStack>
  );
}

function PlatformCard({ platform, isPlatform }: { platform: FormField[]; isPlatform: boolean }) {
  const { t } = useTranslation(["standalone", "settings"]);

  const form = useSettingsForm(platform, { action: "/setup" });
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("setup.platform")} />
        <Text as="p" tone="subdued">
          {isPlatform ? t("setup.platformText") : t("setup.readOnly")}
        </Text>
        <StandaloneSaveBar
          isOpen={form.isDirty}
          isBusy={form.isBusy}
          onSave={form.save}
          onDiscard={form.discard}
        />
        <FormResult form={form} fields={platform} />
        {platform.map((field) => (
          <FieldEditor
            key={field.name}
            field={field}
            draft={form.draftOf(field)}
            problem={form.problemOf(field.name)}
            onChange={(draft) => form.change(field, draft)}
          />
        ))}
      </BlockStack>
    </Card>
  );
}

const TONES = { set: "success", default: undefined, unset: undefined } as const;

function SettingRow({ name, about, state, isSecret }: SettingState) {
  const { t } = useTranslation("standalone");
  const tone = TONES[state];
  return (
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" variant="headingSm" breakWord>
          {name}
        </Text>
        <InlineStack gap="100">
          {isSecret && <Badge>{t("setup.secret")}</Badge>}
          <Badge {...(tone && { tone })}>{t(`setup.states.${state}`)}</Badge>
        </InlineStack>
      </InlineStack>
      <Text as="p" tone="subdued">
        {/* The same text is Markdown in docs/configuration.md. */}
        {about
          .split("`")
          .map((part, place) => (place % 2 === 0 ? part : <code key={place}>{part}</code>))}
      </Text>
      <Divider />
    </BlockStack>
  );
}
