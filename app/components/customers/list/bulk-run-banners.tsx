// A banner for each bulk change that waits, works or has to be read, until it is dismissed.
import { BlockStack } from "@shopify/polaris";
import { useState } from "react";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import BulkRunBanner from "./bulk-run-banner.tsx";

type Props = {
  /** Known when the page was opened, the oldest first. */
  opened: readonly BulkRunState[];
  /** The runs that were started on this page. */
  started: readonly BulkRunState[];
};

export default function BulkRunBanners({ opened, started }: Props) {
  const [dismissed, setDismissed] = useState(recallDismissed);
  const runs = [...opened, ...started].filter(({ id }) => !dismissed.includes(id));
  if (runs.length === 0) return null;
  return (
    <BlockStack gap="300">
      {runs.map((run) => (
        <BulkRunBanner
          key={run.id}
          run={run}
          isNew={started.includes(run)}
          onDismiss={() => setDismissed(rememberDismissed(run.id))}
        />
      ))}
    </BlockStack>
  );
}

const KEY = "dismissed_runs";
const MAX_REMEMBERED = 50;

/** The runs that this tab has dismissed: the page would show them again for a day. */
function recallDismissed(): string[] {
  try {
    const ids: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(ids) ? ids.map(String) : [];
  } catch {
    return [];
  }
}

function rememberDismissed(id: string): string[] {
  const ids = [...recallDismissed(), id].slice(-MAX_REMEMBERED);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(ids));
  } catch {
    // A browser without storage for frames: it is shown again on the next visit.
  }
  return ids;
}
