// The operator's page: how the service is, its stores, what they share, and which settings the process has.
import { Badge, BlockStack, Card, Divider, InlineStack, Text } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { FactRows } from "../fact-rows.tsx";
import type { Field } from "../settings/field-drafts.ts";
import { FieldEditor } from "../settings/field-editor.tsx";
import { Moment } from "../moment.tsx";
import { OnceUsable } from "../once-usable.tsx";
import { FormResult, useSettingsForm } from "../settings/settings-screen.tsx";
import { SETTINGS_WORDS } from "../settings/settings-words.ts";
import { StandaloneSaveBar } from "./standalone-save-bar.tsx";
import { STANDALONE_WORDS } from "./standalone-words.ts";
import { StoreField, StoreList, type StoreRow } from "./store-list.tsx";
import { useWords } from "../words.tsx";

type Health = {
  isDatabaseUp: boolean;
  version: string;
  roles: string[];
  isSandbox: boolean;
  baseUrl: string;
  lastRun: { state: "running" | "finished" | "interrupted"; at: string; errors: number } | null;
};
type Setting = {
  name: string;
  about: string;
  state: "set" | "default" | "unset";
  isSecret: boolean;
};
type Props = {
  health: Health;
  stores: { rows: StoreRow[]; next: string | null };
  settings: Setting[];
  platform: Field[];
  isPlatform: boolean;
};

export function SetupScreen({ health, stores, settings, platform, isPlatform }: Props) {
  const { setup } = useWords(STANDALONE_WORDS);
  return (
    <OnceUsable>
      <BlockStack gap="400">
        <HealthCard health={health} />
        <Card>
          <BlockStack gap="400">
            <CardHeading title={setup.stores} />
            <StoreList stores={stores} path="/setup" />
            <Text as="h3" variant="headingSm">
              {setup.connectNew}
            </Text>
            <StoreField path="/onboarding" label={setup.connect} />
          </BlockStack>
        </Card>
        <PlatformCard platform={platform} isPlatform={isPlatform} />
        <Card>
          <BlockStack gap="400">
            <CardHeading title={setup.settings} />
            <Text as="p" tone="subdued">
              {setup.settingsText}
            </Text>
            {settings.map((setting) => (
              <SettingRow key={setting.name} {...setting} />
            ))}
          </BlockStack>
        </Card>
      </BlockStack>
    </OnceUsable>
  );
}

function HealthCard({ health }: { health: Health }) {
  const { setup } = useWords(STANDALONE_WORDS);
  const { lastRun } = health;
  const rows = [
    { name: setup.version, value: health.version },
    { name: setup.address, value: health.baseUrl },
    { name: setup.roles, value: health.roles.join(", ") },
    { name: setup.sandbox, value: health.isSandbox ? setup.yes : setup.no },
    {
      name: setup.lastRun,
      value: lastRun ? (
        <>
          {setup.runStates[lastRun.state]} <Moment at={lastRun.at} />,{" "}
          {setup.errors(lastRun.errors)}
        </>
      ) : (
        setup.never
      ),
    },
  ];
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading
          title={setup.health}
          status={
            health.isDatabaseUp
              ? { tone: "success", text: `${setup.database}: ${setup.up}` }
              : { tone: "critical", text: `${setup.database}: ${setup.down}` }
          }
        />
        <FactRows rows={rows} />
      </BlockStack>
    </Card>
  );
}

function PlatformCard({ platform, isPlatform }: { platform: Field[]; isPlatform: boolean }) {
  const { setup } = useWords(STANDALONE_WORDS);
  const words = useWords(SETTINGS_WORDS);
  const form = useSettingsForm(platform, "/setup");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={setup.platform} />
        <Text as="p" tone="subdued">
          {isPlatform ? setup.platformText : setup.readOnly}
        </Text>
        <StandaloneSaveBar
          isOpen={form.isDirty}
          isBusy={form.isBusy}
          words={words}
          onSave={form.save}
          onDiscard={form.discard}
        />
        <FormResult result={form.result} fields={platform} />
        {platform.map((field) => (
          <FieldEditor
            key={field.name}
            field={field}
            draft={form.draftOf(field)}
            problem={form.problemOf(field.name)}
            onChange={(draft) => form.change(field.name, draft)}
          />
        ))}
      </BlockStack>
    </Card>
  );
}

const TONES = { set: "success", default: undefined, unset: undefined } as const;

function SettingRow({ name, about, state, isSecret }: Setting) {
  const { setup } = useWords(STANDALONE_WORDS);
  const tone = TONES[state];
  return (
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" variant="headingSm" breakWord>
          {name}
        </Text>
        <InlineStack gap="100">
          {isSecret && <Badge>{setup.secret}</Badge>}
          <Badge {...(tone && { tone })}>{setup.states[state]}</Badge>
        </InlineStack>
      </InlineStack>
      <Text as="p" tone="subdued">
        {about}
      </Text>
      <Divider />
    </BlockStack>
  );
}
