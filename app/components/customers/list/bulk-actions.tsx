// The dialogs of what can be done to the selected customers.
import { clientLazy } from "../../frame/deferred-card.tsx";
import type { CustomerAction } from "../../../domain/customers/bulk/run-inputs.ts";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import type { ListFilter } from "./list-address.ts";

const BulkTags = clientLazy(() => import("./bulk-tags.tsx"));
const BulkAction = clientLazy(() => import("./bulk-action.tsx"));

export type Selection =
  { ids: number[] } | { filter: ListFilter } | { segment: string; version: number };
export type OpenAction = "add" | "remove" | "profile" | CustomerAction;

type Props = {
  action: OpenAction;
  selection: Selection;
  tags: readonly { slug: string; name: string }[];
  onStarted: (run: BulkRunState) => void;
  onClose: () => void;
};

export function BulkActionDialog({ action, tags, ...dialog }: Props) {
  return action === "add" || action === "remove" ? (
    <BulkTags action={action} tags={tags} {...dialog} />
  ) : (
    <BulkAction kind={action} {...dialog} />
  );
}
