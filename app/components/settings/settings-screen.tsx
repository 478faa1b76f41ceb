// The settings of a store: the same form inside the store admin and on the standalone page. Only what was changed is sent.
import { useFetcher } from "@remix-run/react";
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
import { toDraft, toPatch, type Draft, type Field } from "./field-drafts.ts";
import { FieldEditor } from "./field-editor.tsx";
import { problemWords } from "./field-words.ts";
import { OnceUsable } from "../once-usable.tsx";
import { BesideCards } from "../room.tsx";
import { PublicHosts, type PublicHostsData } from "./public-hosts.tsx";
import type { SaveBarProps } from "./save-bar.ts";
import { SETTINGS_WORDS, type SettingsWords } from "./settings-words.ts";
import { useLocale, useWords } from "../words.tsx";

type SectionName = keyof SettingsWords["sections"];
type Section = { name: SectionName; fields: Field[]; tests: string[] };
type Saved =
  | { outcome: "saved" }
  | { outcome: "refused"; message: string; problems: Record<string, string> }
  | { outcome: "locked" | "unreachable" };
type Tested =
  | {
      outcome: "tested";
      system: string;
      ok: boolean;
      status: number | null;
      reason: string | null;
      to: string | null;
    }
  | { outcome: "locked" | "unreachable" };

type Props = {
  sections: Section[];
  hosts: PublicHostsData;
  /** Where the form is posted. */ action: string;
  SaveBar: ComponentType<SaveBarProps>;
};

export function SettingsScreen({ sections, hosts, action, SaveBar }: Props) {
  const words = useWords(SETTINGS_WORDS);
  const fields = sections.flatMap((section) => section.fields);
  const form = useSettingsForm(fields, action);
  return (
    <OnceUsable>
      <BlockStack gap="400">
        <SaveBar
          isOpen={form.isDirty}
          isBusy={form.isBusy}
          words={words}
          onSave={form.save}
          onDiscard={form.discard}
        />
        <FormResult result={form.result} fields={fields} />
        <Contents names={sections.map(({ name }) => name)} />
        {sections.map((section) => (
          <InlineGrid key={section.name} columns={{ xs: 1, md: "1fr 2fr" }} gap="400">
            <BesideCards>
              <BlockStack gap="200">
                <Text as="h2" variant="headingMd" id={section.name}>
                  {words.sections[section.name].title}
                </Text>
                <Text as="p" tone="subdued">
                  {words.sections[section.name].text}
                </Text>
              </BlockStack>
            </BesideCards>
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
    </OnceUsable>
  );
}

/** The page is long: a way to each part of it. */
function Contents({ names }: { names: SectionName[] }) {
  const { contents, sections } = useWords(SETTINGS_WORDS);
  return (
    <BesideCards>
      <nav aria-label={contents}>
        <InlineStack gap="300">
          {names.map((name) => (
            <Link key={name} url={`#${name}`}>
              {sections[name].title}
            </Link>
          ))}
        </InlineStack>
      </nav>
    </BesideCards>
  );
}

/** Drafts of what was touched; everything else is as the server told it last. */
export function useSettingsForm(fields: readonly Field[], action: string) {
  const locale = useLocale();
  const fetcher = useFetcher<Saved>();
  const [drafts, setDrafts] = useState<Record<string, Draft>>({});
  const sent = useRef<Record<string, Draft>>({});
  const patch = toPatch(fields, drafts);
  const isDirty = Object.keys(patch).length > 0;
  const isBusy = fetcher.state !== "idle";
  const isSaved = !isBusy && fetcher.data?.outcome === "saved";
  useEffect(() => {
    // What was typed while the save was under way stays.
    if (isSaved)
      setDrafts((now) =>
        Object.fromEntries(
          Object.entries(now).filter(([name, draft]) => draft !== sent.current[name]),
        ),
      );
  }, [isSaved]);
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, [isDirty]);
  const refused = !isBusy && fetcher.data?.outcome === "refused" ? fetcher.data.problems : {};
  return {
    patch,
    isDirty,
    isBusy,
    result: isBusy ? undefined : isSaved && isDirty ? undefined : fetcher.data,
    draftOf: (field: Field) => drafts[field.name] ?? toDraft(field),
    problemOf: (name: string) =>
      refused[name] === undefined ? undefined : problemWords(locale, refused[name]),
    change: (name: string, draft: Draft) => setDrafts((now) => ({ ...now, [name]: draft })),
    discard: () => setDrafts({}),
    save() {
      sent.current = drafts;
      fetcher.submit({ intent: "save", fields: JSON.stringify(patch) }, { method: "post", action });
    },
  };
}

export function FormResult({
  result,
  fields,
}: {
  result: Saved | undefined;
  fields: readonly Field[];
}) {
  const words = useWords(SETTINGS_WORDS);
  const place = useRef<HTMLDivElement>(null);
  const isBad = result !== undefined && result.outcome !== "saved";
  useEffect(() => {
    if (isBad) place.current?.scrollIntoView({ block: "nearest" });
  }, [isBad]);
  const hasField =
    result?.outcome === "refused" &&
    Object.keys(result.problems).some((name) => fields.some((field) => field.name === name));
  return (
    <div ref={place} aria-live="polite">
      {result?.outcome === "saved" && (
        <Text as="p" tone="success">
          {words.saved}
        </Text>
      )}
      {(result?.outcome === "locked" || result?.outcome === "unreachable") && (
        <Banner tone="critical" title={words[result.outcome]} />
      )}
      {result?.outcome === "refused" && (
        <Banner tone="critical" title={hasField ? words.refused : words.failed}>
          {!hasField && <p>{result.message}</p>}
        </Banner>
      )}
    </div>
  );
}

function ConnectionTest({
  system,
  action,
  isDirty,
}: {
  system: string;
  action: string;
  isDirty: boolean;
}) {
  const words = useWords(SETTINGS_WORDS);
  const { test } = words;
  const fetcher = useFetcher<Tested>();
  const isBusy = fetcher.state !== "idle";
  const told = isBusy ? undefined : fetcher.data;
  return (
    <InlineStack gap="300" blockAlign="center">
      <fetcher.Form method="post" action={action}>
        <input type="hidden" name="intent" value="test" />
        <input type="hidden" name="system" value={system} />
        <Button
          submit
          loading={isBusy}
          disabled={isDirty}
        >{`${test.button}: ${test.systems[system] ?? system}`}</Button>
      </fetcher.Form>
      <div aria-live="polite">
        {isDirty && (
          <Text as="span" tone="subdued">
            {test.first}
          </Text>
        )}
        {!isDirty && (told?.outcome === "locked" || told?.outcome === "unreachable") && (
          <Text as="span" tone="critical">
            {words[told.outcome]}
          </Text>
        )}
        {!isDirty && told?.outcome === "tested" && (
          <Text as="span" tone={told.ok ? "success" : "critical"} breakWord>
            {told.ok
              ? told.to
                ? test.mailed(told.to)
                : test.works
              : `${test.fails} ${told.reason ?? told.status ?? ""}`}
          </Text>
        )}
      </div>
    </InlineStack>
  );
}
