// The settings of a store: the same form inside the store admin and on the standalone page. Only
// changed fields are sent.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Banner,
  Button,
  Card,
  InlineGrid,
  InlineStack,
  Link,
  Text,
} from "@shopify/polaris";
import { useEffect, useRef, useState, type ComponentType } from "react";
import { labelOf } from "../i18n/label-of.ts";
import type { FormField } from "../../domain/tenants/settings/settings-form.ts";
import { toDraft, toPatch, type Draft } from "./field-drafts.ts";
import { FieldEditor } from "./field-editor.tsx";
import { problemKey } from "./field-errors.ts";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { PageGutter } from "../ui/layout.tsx";
import type { SettingsForm } from "../../domain/tenants/settings/settings-form.ts";
import type { HostsView } from "../../domain/tenants/public-hosts.ts";
import { PublicHosts } from "./public-hosts.tsx";
import type { SaveBarProps } from "./save-bar.ts";
import type { ConnectionTest as ConnectionTestResult } from "../../domain/merchant/connection-tests.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useUnloadWarning } from "../hooks/use-unload-warning.ts";

type Props = {
  sections: SettingsForm["sections"];
  hosts: HostsView;
  /** Where the form is posted. */ action: string;
  SaveBar: ComponentType<SaveBarProps>;
};

export function SettingsScreen({ sections, hosts, action, SaveBar }: Props) {
  const { t } = useTranslation("settings");
  const fields = sections.flatMap((section) => section.fields);
  const form = useSettingsForm(fields, action);
  return (
    <HydrationGate>
      <BlockStack gap="400">
        <SaveBar
          isOpen={form.isDirty}
          isBusy={form.isBusy}
          onSave={form.save}
          onDiscard={form.discard}
        />
        <FormResult isSaved={form.isSaved} error={form.error} fields={fields} />
        <Contents names={sections.map(({ name }) => name)} />
        {sections.map((section) => (
          <InlineGrid key={section.name} columns={{ xs: 1, md: "1fr 2fr" }} gap="400">
            <PageGutter>
              <BlockStack gap="200">
                <Text as="h2" variant="headingMd" id={section.name}>
                  {t(`sections.${section.name}.title`)}
                </Text>
                <Text as="p" tone="subdued">
                  {t(`sections.${section.name}.text`)}
                </Text>
              </BlockStack>
            </PageGutter>
            <Card>
              <BlockStack gap="400">
                {section.fields.map((field) => (
                  <FieldEditor
                    key={field.name}
                    field={field}
                    draft={form.draftOf(field)}
                    problem={form.problemOf(field.name)}
                    onChange={(draft) => form.change(field.name, draft)}
                  />
                ))}
                {section.name === "store" && <PublicHosts data={hosts} action={action} />}
                {section.tests.map((system) => (
                  <ConnectionTest
                    key={system}
                    system={system}
                    action={action}
                    isDirty={section.fields.some(({ name }) => name in form.patch)}
                  />
                ))}
              </BlockStack>
            </Card>
          </InlineGrid>
        ))}
      </BlockStack>
    </HydrationGate>
  );
}

/** Links to the parts of the long page. */
function Contents({ names }: { names: SettingsForm["sections"][number]["name"][] }) {
  const { t } = useTranslation("settings");
  return (
    <PageGutter>
      <nav aria-label={t("contents")}>
        <InlineStack gap="300">
          {names.map((name) => (
            <Link key={name} url={`#${name}`}>
              {t(`sections.${name}.title`)}
            </Link>
          ))}
        </InlineStack>
      </nav>
    </PageGutter>
  );
}

/** Holds drafts of the changed fields; all others show the loader's value. */
export function useSettingsForm(fields: readonly FormField[], action: string) {
  const { t } = useTranslation("settings");
  const { submit, isBusy, result, error } = useScreenAction("save", { action });
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const sent = useRef<Record<string, Draft>>({});
  const patch = toPatch(fields, drafts);
  const isDirty = Object.keys(patch).length > 0;
  const isSaved = result?.ok === true;
  useEffect(() => {
    // Keeps input that was entered during the save.
    if (isSaved)
      setDrafts((now) =>
        Object.fromEntries(
          Object.entries(now).filter(([name, draft]) => draft !== sent.current[name]),
        ),
      );
  }, [isSaved]);
  useUnloadWarning(isDirty);
  const fieldErrors = error?.fields ?? {};
  return {
    patch,
    isDirty,
    isBusy,
    isSaved: isSaved && !isDirty,
    error,
    draftOf: (field: FormField) => drafts[field.name] ?? toDraft(field),
    problemOf: (name: string) =>
      fieldErrors[name] === undefined
        ? undefined
        : t(problemKey(fieldErrors[name]), { reason: fieldErrors[name] }),
    change: (name: string, draft: Draft) => setDrafts((now) => ({ ...now, [name]: draft })),
    discard: () => setDrafts({}),
    save() {
      sent.current = drafts;
      submit({ fields: JSON.stringify(patch) });
    },
  };
}

export function FormResult({
  isSaved,
  error,
  fields,
}: {
  isSaved: boolean;
  error: ReturnType<typeof useScreenAction>["error"];
  fields: readonly FormField[];
}) {
  const { t } = useTranslation("settings");
  const place = useRef<HTMLDivElement>(null);
  const isFailed = error !== null;
  useEffect(() => {
    if (isFailed) place.current?.scrollIntoView({ block: "nearest" });
  }, [isFailed]);
  const hasField = Object.keys(error?.fields ?? {}).some((name) =>
    fields.some((field) => field.name === name),
  );
  return (
    <div ref={place} aria-live="polite">
      {isSaved && (
        <Text as="p" tone="success">
          {t("saved")}
        </Text>
      )}
      {error && isSessionOrNetwork(error.code) && <Banner tone="critical" title={t(error.code)} />}
      {error && !isSessionOrNetwork(error.code) && (
        <Banner tone="critical" title={hasField ? t("refused") : t("failed")}>
          {!hasField && <p>{error.reason}</p>}
        </Banner>
      )}
    </div>
  );
}

const isSessionOrNetwork = (code: string): code is "unauthorized" | "unreachable" =>
  code === "unauthorized" || code === "unreachable";

function ConnectionTest({
  system,
  action,
  isDirty,
}: {
  system: string;
  action: string;
  isDirty: boolean;
}) {
  const { t } = useTranslation("settings");

  const {
    submit,
    isBusy,
    data: tested,
    error,
  } = useScreenAction<ConnectionTestResult>("test", { action });
  return (
    <InlineStack gap="300" blockAlign="center">
      <Button
        loading={isBusy}
        disabled={isDirty}
        onClick={() => submit({ system })}
      >{`${t("test.button")}: ${labelOf(t("test.systems", { returnObjects: true }), system)}`}</Button>
      <div aria-live="polite">
        {isDirty && (
          <Text as="span" tone="subdued">
            {t("test.first")}
          </Text>
        )}
        {!isDirty && error && (
          <Text as="span" tone="critical">
            {isSessionOrNetwork(error.code) ? t(error.code) : error.message}
          </Text>
        )}
        {!isDirty && tested && (
          <Text as="span" tone={tested.ok ? "success" : "critical"} breakWord>
            {tested.ok
              ? tested.to
                ? t("test.mailed", { to: tested.to })
                : t("test.works")
              : `${t("test.fails")} ${tested.reason ?? tested.status ?? ""}`}
          </Text>
        )}
      </div>
    </InlineStack>
  );
}
