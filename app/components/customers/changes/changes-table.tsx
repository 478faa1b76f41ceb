import { useTranslation } from "react-i18next";
import { BlockStack, IndexTable, Link, Text } from "@shopify/polaris";
import type { ListedRun, RunPage } from "../../../domain/customers/bulk/list-runs.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { WrappingText } from "../../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../../ui/responsive-rows.tsx";
import { useAppliedText, useFilterGroups } from "../list/filter-groups.ts";
import { ChangeNumbers } from "./change-numbers.tsx";
import { ChangeState } from "./change-state.tsx";

type Props = Pick<RunPage, "runs" | "choices" | "currency">;

export function ChangesTable({ runs, choices, currency }: Props) {
  const { t } = useTranslation("changes");
  const changeOf = useChangeTexts();
  const meantOf = useMeant({ choices, currency });
  const columns = t("columns", { returnObjects: true });
  return (
    <ResponsiveRows>
      <IndexTable
        selectable={false}
        resourceName={t("resource", { returnObjects: true })}
        itemCount={runs.length}
        headings={[
          { title: columns.started },
          { title: columns.change },
          { title: columns.customers },
          { title: columns.state },
        ]}
      >
        {runs.map((run, position) => {
          const change = changeOf(run);
          return (
            <IndexTable.Row key={run.id} id={run.id} position={position}>
              <RowCell>
                <WrappingText>
                  <BlockStack>
                    <Text as="span" fontWeight="semibold">
                      <DateTime at={run.started_at} />
                    </Text>
                    <Text as="span" tone="subdued">
                      <StartedBy run={run} />
                    </Text>
                  </BlockStack>
                </WrappingText>
              </RowCell>
              <RowCell label={columns.change}>
                <WrappingText>
                  <BlockStack gap="100">
                    <Lines of={change} />
                    <Text as="span" tone="subdued">
                      {meantOf(run)}
                    </Text>
                  </BlockStack>
                </WrappingText>
              </RowCell>
              <RowCell label={columns.customers}>
                <ChangeNumbers run={run} change={change.join(", ")} />
              </RowCell>
              <RowCell label={columns.state}>
                <ChangeState run={run} change={change.join(", ")} />
              </RowCell>
            </IndexTable.Row>
          );
        })}
      </IndexTable>
    </ResponsiveRows>
  );
}

const Lines = ({ of }: { of: readonly string[] }) => (
  <BlockStack>
    {of.map((text) => (
      <Text key={text} as="span">
        {text}
      </Text>
    ))}
  </BlockStack>
);

function useChangeTexts() {
  const { t } = useTranslation("customers");
  const labelled = useLabelled();
  return ({ kind, add, remove }: ListedRun): string[] => {
    if (kind !== "tags") return [t(`action.${kind}.title`)];
    return [
      ...(add.length > 0 ? [labelled(t("bulk.add"), add.join(", "))] : []),
      ...(remove.length > 0 ? [labelled(t("bulk.remove"), remove.join(", "))] : []),
    ];
  };
}

/** Whom a run meant, in words. */
function useMeant({ choices, currency }: Pick<Props, "choices" | "currency">) {
  const { t } = useTranslation("changes");
  const labelled = useLabelled();
  const groups = useFilterGroups(choices, currency);
  const textOf = useAppliedText(currency);
  return ({ meant }: ListedRun) => {
    switch (meant.by) {
      case "segment":
        return (
          <Lines
            of={[
              meant.name === null
                ? t("meant.deletedSegment")
                : labelled(t("meant.segment"), meant.name),
            ]}
          />
        );
      case "store_segment":
        return (
          <Link url={meant.url} target="_top">
            {t("meant.storeSegment")}
          </Link>
        );
      case "filter": {
        const words = groups.flatMap((group) => textOf(group, meant.filter) ?? []);
        const all = meant.searched ? [...words, t("meant.searched")] : words;
        return <Lines of={all.length > 0 ? all : [t("meant.everybody")]} />;
      }
      default:
        return <Lines of={[t(`meant.${meant.by}`)]} />;
    }
  };
}

function StartedBy({ run: { kind, started_by: id } }: { run: ListedRun }) {
  const { t } = useTranslation("changes");
  if (id !== null) return t("by.staff", { id });
  return kind === "rules" ? t("by.rules") : t("by.unknown");
}
