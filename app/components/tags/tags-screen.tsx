// A store's tags by category, with the customers who have them.
import { useTranslation } from "react-i18next";
import { useSearchParams } from "@remix-run/react";
import {
  BlockStack,
  Box,
  Button,
  Card,
  IndexTable,
  InlineStack,
  Link,
  Select,
  Text,
  TextField,
} from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import { useState } from "react";
import { ScreenPage } from "../frame/screen-page.tsx";
import { labelOf } from "../i18n/label-of.ts";
import type { TagUsage } from "../../domain/tags/tag-usage.ts";
import { formatCount } from "../i18n/format-number.ts";
import { formatPeople } from "./format-people.ts";
import { WrappingText } from "../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useDebouncedSearch } from "../hooks/use-debounced-search.ts";
import { useQuestion } from "../hooks/use-question.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import type { RuleSettings } from "../../domain/customers/system-tags/rule-settings.ts";
import type { BulkRunState } from "../../domain/customers/bulk/run-row.ts";
import { clientLazy } from "../frame/deferred-card.tsx";
import { PrepareCard } from "./prepare-card.tsx";
import { RulesCard } from "./rules-card.tsx";
import { TagModal, type TagQuestion } from "./tag-modals.tsx";

/** Loaded on demand, because few visits see a run. */
const BulkRunBanner = clientLazy(() => import("../customers/list/bulk-run-banner.tsx"));

type Props = {
  query: { category?: string | undefined; q?: string | undefined };
  usage: TagUsage;
  rules: RuleSettings & { people: Readonly<Record<string, number>> };
  /** The run that sets the tags of the rules now. */
  run: BulkRunState | null;
};

export function TagsScreen({ query, usage, rules, run }: Props) {
  const { t } = useTranslation("tags");
  const locale = useLocale();
  const { question, key, ask, close } = useQuestion<TagQuestion>();
  const [openedWith] = useState(run);
  // Its result stays beside the pressed button, also when the tags have appeared meanwhile.
  const [wasEmpty] = useState(usage.isEmpty);
  const [shownRun, setShownRun] = useState(run);
  return (
    <>
      <ScreenPage
        title={t("title")}
        actions={
          <button variant="primary" onClick={() => ask({ kind: "create" })}>
            {t("create")}
          </button>
        }
      >
        {shownRun && (
          <BulkRunBanner
            key={shownRun.id}
            run={shownRun}
            isNew={shownRun !== openedWith}
            onDismiss={() => setShownRun(null)}
          />
        )}
        {wasEmpty && <PrepareCard isEmpty={usage.isEmpty} />}
        {!usage.isEmpty && (
          <Card padding="0">
            <Narrow query={query} />
            <TagTable tags={usage.tags} onAsk={ask} />
            {usage.hasMore && (
              <Box padding="400">
                <Text as="p" tone="subdued">
                  {t("more", { total: formatCount(locale, usage.tags.length) })}
                </Text>
              </Box>
            )}
          </Card>
        )}
        {!usage.isEmpty && (
          <RulesCard settings={rules} people={rules.people} onStarted={setShownRun} />
        )}
        {!wasEmpty && <PrepareCard isEmpty={usage.isEmpty} />}
      </ScreenPage>
      {question && <TagModal key={key} question={question} onClose={close} />}
    </>
  );
}

function Narrow({ query }: { query: Props["query"] }) {
  const { t } = useTranslation(["tags", "glossary"]);

  const [, setParams] = useSearchParams();
  const show = (next: Props["query"]) =>
    setParams(
      Object.entries({ ...query, ...next }).filter((entry): entry is [string, string] =>
        Boolean(entry[1]),
      ),
      { preventScrollReset: true },
    );
  const [typed, search] = useDebouncedSearch(query.q ?? "", (q) => show({ q }));
  return (
    <Box padding="300">
      <InlineStack gap="300" wrap>
        <div style={{ flex: "1 1 14rem" }}>
          <TextField
            label={t("search")}
            labelHidden
            placeholder={t("search")}
            value={typed}
            onChange={search}
            autoComplete="off"
            clearButton
            onClearButtonClick={() => search("")}
          />
        </div>
        <Select
          label={t("category")}
          labelInline
          options={[
            { value: "", label: t("all") },
            ...Object.entries(t("glossary:category", { returnObjects: true })).map(
              ([value, label]) => ({ value, label }),
            ),
          ]}
          value={query.category ?? ""}
          onChange={(category) => show({ category })}
        />
      </InlineStack>
    </Box>
  );
}

type Tag = TagUsage["tags"][number];
type AskHandler = (question: TagQuestion) => void;

function TagTable({ tags, onAsk }: { tags: readonly Tag[]; onAsk: AskHandler }) {
  const { t } = useTranslation("tags");
  return (
    <ResponsiveRows>
      <IndexTable
        selectable={false}
        resourceName={t("resource", { returnObjects: true })}
        itemCount={tags.length}
        headings={[
          { title: t("columns.tag") },
          { title: t("columns.category") },
          { title: t("columns.people"), alignment: "end" },
          { title: t("columns.actions"), hidden: true },
        ]}
        emptyState={
          <EmptyState heading={t("noMatch")}>
            <p>{t("noMatchText")}</p>
          </EmptyState>
        }
      >
        {tags.map((tag, position) => (
          <TagRow key={tag.slug} tag={tag} position={position} onAsk={onAsk} />
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}

function TagRow({ tag, position, onAsk }: { tag: Tag; position: number; onAsk: AskHandler }) {
  const { t } = useTranslation(["tags", "glossary"]);
  return (
    <IndexTable.Row id={tag.slug} position={position}>
      <RowCell>
        <WrappingText>
          <BlockStack>
            <Text as="span" fontWeight="semibold">
              {tag.name}
            </Text>
            <Text as="span" tone="subdued">
              {tag.slug}
            </Text>
          </BlockStack>
        </WrappingText>
      </RowCell>
      <RowCell label={t("columns.category")}>
        {labelOf(t("glossary:category", { returnObjects: true }), tag.category)}
      </RowCell>
      <RowCell label={t("columns.people")}>
        <Text as="span" alignment="end" numeric>
          {tag.people > 0 ? <PeopleLink tag={tag} /> : "0"}
        </Text>
      </RowCell>
      <RowCell>
        <TagButtons tag={tag} onAsk={onAsk} />
      </RowCell>
    </IndexTable.Row>
  );
}

function PeopleLink({ tag }: { tag: Tag }) {
  const { t } = useTranslation("tags");
  const labelled = useLabelled();
  const people = formatPeople(useLocale(), tag.people);
  return (
    <Link
      url={`/app/customers?tag=${tag.slug}`}
      accessibilityLabel={labelled(t("show", { name: tag.name }), people)}
    >
      {people}
    </Link>
  );
}

/** Default tags, and those that customers have, cannot be deleted. */
function TagButtons({ tag, onAsk }: { tag: Tag; onAsk: AskHandler }) {
  const { t } = useTranslation("tags");
  const labelled = useLabelled();
  const ask = (kind: "rename" | "delete") => onAsk({ kind, slug: tag.slug, name: tag.name });
  return (
    <InlineStack gap="200" align="end" wrap={false}>
      <Button
        size="slim"
        onClick={() => ask("rename")}
        accessibilityLabel={labelled(t("rename"), tag.name)}
      >
        {t("rename")}
      </Button>
      {tag.people === 0 && !tag.isDefault && (
        <Button
          size="slim"
          tone="critical"
          onClick={() => ask("delete")}
          accessibilityLabel={labelled(t("remove"), tag.name)}
        >
          {t("remove")}
        </Button>
      )}
    </InlineStack>
  );
}
