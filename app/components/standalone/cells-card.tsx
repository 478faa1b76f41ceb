// The databases that hold the stores, and the newest moves of stores between them.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, Divider, InlineStack, Text } from "@shopify/polaris";
import type { CellState, CellStates } from "../../domain/merchant/cell-states.ts";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { DateTime } from "../ui/date-time.tsx";

const CELL_TONES = { up: "success", down: "critical", elsewhere: undefined } as const;
const MOVE_TONES = {
  waiting: "attention",
  running: "attention",
  done: "success",
  failed: "critical",
  cancelled: undefined,
} as const;
const BYTES_PER_MB = 1024 * 1024;

export function CellsCard({ cells, moves }: CellStates) {
  const { t } = useTranslation("standalone");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("cells.title")} />
        {cells.map((cell) => (
          <CellRow key={cell.cell} {...cell} />
        ))}
        <Text as="h3" variant="headingSm">
          {t("cells.moves")}
        </Text>
        {moves.length === 0 && (
          <Text as="p" tone="subdued">
            {t("cells.noMoves")}
          </Text>
        )}
        {moves.map((move) => (
          <MoveRow key={move.id} {...move} />
        ))}
      </BlockStack>
    </Card>
  );
}

/** A longer time is shown in minutes. */
const MIN_SECONDS_IN_MINUTES = 120;

function CellRow({ cell, state, stores, bytes, waiting, oldestDueSeconds }: CellState) {
  const { t } = useTranslation("standalone");
  const locale = useLocale();
  const tone = CELL_TONES[state];
  const facts = [
    t("cells.stores", { count: stores }),
    bytes !== null &&
      t("cells.size", { size: formatCount(locale, Math.ceil(bytes / BYTES_PER_MB)) }),
    waiting !== null && t("cells.waiting", { count: waiting, shown: formatCount(locale, waiting) }),
    oldestDueSeconds !== null &&
      oldestDueSeconds > 0 &&
      (oldestDueSeconds < MIN_SECONDS_IN_MINUTES
        ? t("cells.oldest", { count: oldestDueSeconds })
        : t("cells.oldestMinutes", {
            count: Math.floor(oldestDueSeconds / 60),
            shown: formatCount(locale, Math.floor(oldestDueSeconds / 60)),
          })),
  ];
  return (
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="h3" variant="headingSm" breakWord>
          {cell}
        </Text>
        <Badge {...(tone && { tone })}>{t(`cells.states.${state}`)}</Badge>
      </InlineStack>
      <Text as="p" tone="subdued">
        {facts.filter((fact) => fact !== false).join(", ")}
      </Text>
      <Divider />
    </BlockStack>
  );
}

function MoveRow({
  shop,
  from,
  to,
  state,
  step,
  progress,
  error,
  created_at,
}: CellStates["moves"][number]) {
  const { t } = useTranslation("standalone");
  const tone = MOVE_TONES[state];
  const isOpen = state === "waiting" || state === "running";
  return (
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span" variant="headingSm" breakWord>
          {t("cells.move", { shop, from, to })}
        </Text>
        <Badge {...(tone && { tone })}>
          {isOpen && step !== "done" ? t(`cells.steps.${step}`) : t(`cells.moveStates.${state}`)}
        </Badge>
      </InlineStack>
      <Text as="p" tone="subdued">
        <DateTime at={created_at} />
        {isOpen && progress.tables !== undefined && (
          <>
            {", "}
            {t("cells.tables", { copied: progress.tables_copied ?? 0, tables: progress.tables })}
          </>
        )}
        {progress.refused_ms !== undefined && (
          <>
            {", "}
            {t("cells.refused", { count: progress.refused_ms })}
          </>
        )}
      </Text>
      {error && <Text as="p">{error}</Text>}
      <Divider />
    </BlockStack>
  );
}
